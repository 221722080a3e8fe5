import { readFileSync } from 'node:fs'

interface TimestampForms {
  readonly read: readonly [text: string, time: string][]
  readonly refused: readonly string[]
}

const path = new URL('../../../../clients/go/testdata/timestamps.json', import.meta.url)

/**
 * Timestamps of clients: those that are read, and those that are not. The service, `hookline import` and both client
 * libraries agree on each. The file is in the Go module, whose tests read it too.
 */
export const TIMESTAMP_FORMS = JSON.parse(readFileSync(path, 'utf8')) as TimestampForms
