import { InvalidArgumentError } from 'commander'

/** What a receiver answers to the first requests in place of 200. */
export interface Fault {
  readonly status: number
  /** How many requests; all, where infinite. */
  readonly count: number
}

/** Parses `500:2`, two times 500, and `503`, always 503. */
export function parseFault(text: string): Fault {
  const match = /^([2-5]\d\d)(?::([1-9]\d{0,8}))?$/.exec(text)
  if (match === null) {
    throw new InvalidArgumentError(
      'It must be a status and how often it is answered, like 500:2, or a status alone for always.',
    )
  }
  return { status: Number(match[1]), count: match[2] === undefined ? Infinity : Number(match[2]) }
}

/** Parses `300ms`, `3s` or `1m` into milliseconds. */
export function parseDelay(text: string): number {
  const match = /^(\d{1,6})(ms|s|m)$/.exec(text)
  if (match === null) throw new InvalidArgumentError('It must be like 300ms, 3s or 1m.')
  return Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[match[2] as 'ms' | 's' | 'm']
}

/** The statuses to answer, one by one. */
export class AnswerPlan {
  readonly #status: number
  #left: number

  constructor(fault: Fault = { status: 200, count: 0 }) {
    this.#status = fault.status
    this.#left = fault.count
  }

  /** The status for the next request. */
  next(): number {
    if (this.#left === 0) return 200
    this.#left -= 1
    return this.#status
  }
}
