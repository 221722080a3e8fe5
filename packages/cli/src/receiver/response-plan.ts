import { parseTimeSpan } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'

/** A status for the first requests. Later ones get 200. */
export interface PlannedFault {
  readonly status: number
  readonly count: number
}

/** Parses `500:2` (500 twice) or `503` (always). */
export function parseFault(text: string): PlannedFault {
  const match = /^([2-5]\d\d)(?::([1-9]\d{0,8}))?$/.exec(text)
  if (match === null) {
    throw new InvalidArgumentError(
      'It must be a status with a number of requests, like 500:2, or a status for all requests, like 503.',
    )
  }
  return { status: Number(match[1]), count: match[2] === undefined ? Infinity : Number(match[2]) }
}

/** Longer than any attempt timeout. */
const MAX_DELAY_MS = 60 * 60 * 1000

/** Parses `300ms`, `3s` or `1m` into milliseconds. */
export function parseDelay(text: string): number {
  const ms = parseTimeSpan(text)
  if (ms !== undefined && ms <= MAX_DELAY_MS) return ms
  throw new InvalidArgumentError('Use a duration of at most 1h, like 300ms, 3s or 1m.')
}

export class ResponsePlan {
  readonly #status: number
  #left: number

  constructor(fault: PlannedFault = { status: 200, count: 0 }) {
    this.#status = fault.status
    this.#left = fault.count
  }

  next(): number {
    if (this.#left === 0) return 200
    this.#left -= 1
    return this.#status
  }
}
