import { readFileSync } from 'node:fs'

interface RetryAfterForms {
  /** The time that dates are relative to. */
  readonly now: string
  /** A header, and how many seconds after `now` it asks for. */
  readonly read: readonly [header: string, seconds: number][]
  readonly refused: readonly string[]
}

const path = new URL('../../../../clients/go/testdata/retry-after.json', import.meta.url)

/**
 * Headers `Retry-After`: those that are read, and those that are not. The service and both client libraries agree on each.
 * The file is in the Go module, whose tests read it too.
 */
export const RETRY_AFTER_FORMS = JSON.parse(readFileSync(path, 'utf8')) as RetryAfterForms
