import type { onRequestHookHandler } from 'fastify'
import type { Clock } from '../../util/time/clock.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { Problem } from '../problems/problem.ts'
import type { Actor } from './authenticate.ts'

/** How many seconds' worth of requests may come at once. */
const BURST_SECONDS = 5

/** Limits each token and each session to `perSecond` requests; `null` for no limit. */
export class RequestLimit {
  readonly #limit: RateLimit
  readonly #perSecond: number | null

  constructor(clock: Clock, perSecond: number | null) {
    this.#limit = new RateLimit(clock, { burstSeconds: BURST_SECONDS })
    this.#perSecond = perSecond
  }

  /** Counts a request. Returns a Problem where it is one too many. */
  refusal({ id }: Pick<Actor, 'id'>): Problem | undefined {
    const waitSeconds = this.#limit.take({ id, rateLimit: this.#perSecond }, 1)
    if (waitSeconds === 0) return undefined
    return new Problem('rate_limited', { headers: { 'retry-after': String(waitSeconds) } })
  }

  /** The hook that responds with 429 to requests beyond the limit. */
  hook(): onRequestHookHandler {
    return ({ actor }, _reply, done) => done(this.refusal(actor))
  }
}
