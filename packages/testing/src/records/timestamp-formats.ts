import { readFileSync } from 'node:fs'

interface TimestampFormats {
  readonly read: readonly [text: string, time: string][]
  readonly refused: readonly string[]
}

const path = new URL('../../../../clients/go/testdata/timestamps.json', import.meta.url)

/**
 * Valid and invalid client timestamps, on which the service, `hookline import` and both client libraries agree. The file
 * is in the Go module, because its tests read it as well.
 */
export const TIMESTAMP_FORMATS = JSON.parse(readFileSync(path, 'utf8')) as TimestampFormats
