import type { onRequestHookHandler } from 'fastify'
import type { Clock } from '../../util/clock.ts'
import { RateLimit } from '../../util/rate-limit.ts'
import { isEnough, roleFor } from './access.ts'
import { Problem } from '../problems/problem.ts'

/** Seconds' worth of requests that may come at once. */
const BURST_SECONDS = 5

/** The hook that answers 403 where the table of access asks for more than the role of the token. */
export function authorize(prefix: string): onRequestHookHandler {
  return ({ actor, method, routeOptions }, _reply, done) => {
    const needed = roleFor(method, (routeOptions.url ?? '').slice(prefix.length))
    if (isEnough(actor.role, needed)) return done()
    const detail = `This asks for a token with the role ${needed}; yours has the role ${actor.role}.`
    return done(new Problem('forbidden', { detail }))
  }
}

/** The hook that answers 429 when a token asks more often than `perSecond`; `null` for no limit. */
export function limitRate(clock: Clock, perSecond: number | null): onRequestHookHandler {
  const limit = new RateLimit(clock, { burstSeconds: BURST_SECONDS })
  return ({ actor }, _reply, done) => {
    const waitSeconds = limit.take({ id: actor.id, rateLimit: perSecond }, 1)
    if (waitSeconds === 0) return done()
    return done(new Problem('rate_limited', { headers: { 'retry-after': String(waitSeconds) } }))
  }
}
