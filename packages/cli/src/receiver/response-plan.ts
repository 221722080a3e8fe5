import { parseTimeSpan } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'

/** The status that a receiver responds to its first requests, in place of 200. */
export interface PlannedFault {
  readonly status: number
  /** The number of requests; infinite for all. */
  readonly count: number
}

/** Parses `500:2`, which is 500 twice, and `503`, which is always 503. */
export function parseFault(text: string): PlannedFault {
  const match = /^([2-5]\d\d)(?::([1-9]\d{0,8}))?$/.exec(text)
  if (match === null) {
    throw new InvalidArgumentError(
      'It must be a status and the number of requests, like 500:2, or a status alone for every request.',
    )
  }
  return { status: Number(match[1]), count: match[2] === undefined ? Infinity : Number(match[2]) }
}

/** Longer than any deadline of an attempt. */
const LONGEST_DELAY_MS = 60 * 60 * 1000

/** Parses `300ms`, `3s` or `1m` into milliseconds. */
export function parseDelay(text: string): number {
  const ms = parseTimeSpan(text)
  if (ms !== undefined && ms <= LONGEST_DELAY_MS) return ms
  throw new InvalidArgumentError('It must be up to 1h, like 300ms, 3s or 1m.')
}

/** The statuses of a receiver's responses, in their order. */
export class ResponsePlan {
  readonly #status: number
  #left: number

  constructor(fault: PlannedFault = { status: 200, count: 0 }) {
    this.#status = fault.status
    this.#left = fault.count
  }

  /** The status of the next response. */
  next(): number {
    if (this.#left === 0) return 200
    this.#left -= 1
    return this.#status
  }
}
