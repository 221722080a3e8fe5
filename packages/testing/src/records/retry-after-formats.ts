import { readFileSync } from 'node:fs'

interface RetryAfterFormats {
  /** The time that dates are relative to. */
  readonly now: string
  /** A header, and the number of seconds after `now` that it requests. */
  readonly read: readonly [header: string, seconds: number][]
  readonly refused: readonly string[]
}

const path = new URL('../../../../clients/go/testdata/retry-after.json', import.meta.url)

/**
 * Valid and invalid `Retry-After` headers, on which the service and both client libraries agree. The file is in the Go
 * module, because its tests read it as well.
 */
export const RETRY_AFTER_FORMATS = JSON.parse(readFileSync(path, 'utf8')) as RetryAfterFormats
