import type {
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import { FairTurns } from '../../util/limits/fair-turns.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import type { Clock } from '../../util/time/clock.ts'
import { Problem } from '../problems/problem.ts'
import { type Actor, type Authentication, unauthorized } from './authenticate.ts'
import type { Openers } from './tokens.ts'

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

/** As many as the embedded backend has threads for: more would only wait there, in the order of their arrival. */
const MAX_AT_ONCE = 2
/** Of each session, or of a token by itself. A page of the console makes up to five at once. */
const MAX_WAITING = 32
/** Of each token with its sessions. Each holds a connection. */
const MAX_WAITING_OF_TOKEN = 128

/** The hooks by which long reads take turns: however many one token asks for, others wait for the one that runs at most. */
export class LongReads {
  readonly #turns = new FairTurns(MAX_AT_ONCE)
  readonly #running = new WeakSet<FastifyRequest>()
  readonly #openers: Openers
  readonly #clock: Clock

  constructor({ openers, clock }: Pick<Authentication, 'openers' | 'clock'>) {
    this.#openers = openers
    this.#clock = clock
  }

  /** Goes on when it is the turn of the request. Responds with 429 where too many of its token or session wait. */
  take(): preHandlerHookHandler {
    return (request, reply, done) => {
      const { actor, routeOptions } = request
      if (routeOptions.schema?.isLongRead !== true) return done()
      const refusal = this.#refusal(actor)
      if (refusal) return done(refusal)
      return this.#turns.take({
        taker: actor,
        // A search in the console closes the connection at the next letter.
        isWanted: () => !reply.raw.destroyed,
        start: () => {
          this.#running.add(request)
          // The token may have been deleted while the request waited.
          if (this.#openers.isServed(actor.id, this.#clock.wall())) done()
          // Not at once: of hundreds that are refused, each would begin within the end of the one before.
          else setImmediate(() => done(unauthorized('invalid_token')))
        },
      })
    }
  }

  #refusal(actor: Actor): Problem | undefined {
    const { own, ofToken } = this.#turns.waitingOf(actor)
    if (own >= MAX_WAITING) return tooMany(`${own} requests of this token or session`)
    if (ofToken < MAX_WAITING_OF_TOKEN) return undefined
    return tooMany(`${ofToken} requests of this token and its sessions`)
  }

  /** Ends the turn. Not when the connection is closed: the read goes on then. */
  end(): onSendHookHandler {
    return (request, _reply, payload, done) => {
      if (this.#running.delete(request)) this.#turns.end(request.actor)
      done(null, payload)
    }
  }
}

function tooMany(what: string): Problem {
  const detail = `${what} wait for the database already. Wait for their responses before you send more.`
  return new Problem('rate_limited', { detail, headers: { 'retry-after': '1' } })
}
