import type { onRequestHookHandler } from 'fastify'
import type { Clock } from '../../util/time/clock.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { isRoleEnough, roleFor } from './route-roles.ts'
import { Problem } from '../problems/problem.ts'

/** How many seconds' worth of requests may come at once. */
const BURST_SECONDS = 5

/** The hook that responds with 403 if the route needs a higher role than that of the token. */
export function authorize(prefix: string): onRequestHookHandler {
  return ({ actor, method, routeOptions }, _reply, done) => {
    const needed = roleFor(method, (routeOptions.url ?? '').slice(prefix.length))
    if (isRoleEnough(actor.role, needed)) return done()
    const detail = `This request needs a token with the role ${needed}; yours has the role ${actor.role}.`
    return done(new Problem('forbidden', { detail }))
  }
}

/** The hook that responds with 429 when a token exceeds `perSecond` requests; `null` for no limit. */
export function limitRate(clock: Clock, perSecond: number | null): onRequestHookHandler {
  const limit = new RateLimit(clock, { burstSeconds: BURST_SECONDS })
  return ({ actor }, _reply, done) => {
    const waitSeconds = limit.take({ id: actor.id, rateLimit: perSecond }, 1)
    if (waitSeconds === 0) return done()
    return done(new Problem('rate_limited', { headers: { 'retry-after': String(waitSeconds) } }))
  }
}
