import type { FastifyRequest } from 'fastify'
import { FairTurns } from '../../util/limits/fair-turns.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { Problem } from '../problems/problem.ts'
import { type Actor, type Authentication, unauthorizedProblem } from './authenticate.ts'

const BURST_SECONDS = 5

/** Limits each token and each session to `perSecond` requests; `null` for no limit. */
export class RequestLimit {
  readonly #limit: RateLimit
  readonly #perSecond: number | null

  constructor(clock: Clock, perSecond: number | null) {
    this.#limit = new RateLimit(clock, { burstSeconds: BURST_SECONDS })
    this.#perSecond = perSecond
  }

  /** Counts a request. Returns a Problem if it exceeds the limit. */
  refusal({ id }: Pick<Actor, 'id'>): Problem | undefined {
    const waitSeconds = this.#limit.take({ id, rateLimit: this.#perSecond }, 1)
    if (waitSeconds === 0) return undefined
    return new Problem('rate_limited', { headers: { 'retry-after': String(waitSeconds) } })
  }
}

/** The number of reader threads of the embedded backend. Further reads would wait for a thread, first come, first served. */
const MAX_CONCURRENT_READS = 2
/**
 * The maximum number of waiting requests per token or session. A page in the console sends up to
 * five at once.
 */
const MAX_WAITING = 32
/**
 * The maximum number of waiting requests per token, its sessions included. Each holds a connection.
 */
const MAX_WAITING_PER_TOKEN = 128

/**
 * Schedules long reads fairly: the reads of one token delay a read with another token by at most one read. Responds with 429 if too many wait.
 */
export function takeTurns(
  app: AdminApp,
  { sessionTokens, clock }: Pick<Authentication, 'sessionTokens' | 'clock'>,
): void {
  const turns = new FairTurns(MAX_CONCURRENT_READS)
  const running = new WeakSet<FastifyRequest>()

  app.addHook('preHandler', (request, reply, done) => {
    const { actor, routeOptions } = request
    if (routeOptions.schema?.isLongRead !== true) return done()
    const { own, perToken } = turns.waitingOf(actor)
    if (own >= MAX_WAITING) return done(tooMany(`${own} requests from this token or session`))
    if (perToken >= MAX_WAITING_PER_TOKEN)
      return done(tooMany(`${perToken} requests from this token and its sessions`))
    return turns.take({
      client: actor,
      // A search in the console closes the connection when the next letter is typed.
      isWanted: () => !reply.raw.destroyed,
      start: () => {
        running.add(request)
        // The token may have been deleted in the meantime.
        if (sessionTokens.isActorValid(actor.id, clock.wall())) done()
        // Deferred: hundreds of refusals would otherwise nest.
        else setImmediate(() => done(unauthorizedProblem('invalid_token')))
      },
    })
  })

  // A turn does not end when the connection closes, because the read continues.
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (running.delete(request)) turns.end(request.actor)
    done(null, payload)
  })
}

function tooMany(what: string): Problem {
  const detail = `${what} are already waiting for the database. Wait for their responses before you send more.`
  return new Problem('rate_limited', { detail, headers: { 'retry-after': '1' } })
}
