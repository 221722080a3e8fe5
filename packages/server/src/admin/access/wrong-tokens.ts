import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { ClientKeyThrottle } from '../../util/limits/log-throttle.ts'
import type { Clock } from '../../util/time/clock.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { Problem } from '../problems/problem.ts'

const MINUTE_SECONDS = 60
const LOG_EVERY_MS = 60_000

export interface WrongTokensOptions {
  /** Requests with a wrong token per minute and client that get a 401; `null` for no limit. */
  readonly perMinute: number | null
  readonly metrics: Pick<Metrics, 'wrongTokens'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Limits, counts and logs requests with a wrong token, by client. It never sees a correct token: behind a reverse proxy or
 * NAT, an attacker may have the same address as the operator, and must not lock the operator out.
 */
export class WrongTokens {
  readonly #options: WrongTokensOptions
  readonly #limit: RateLimit
  readonly #clients: ClientKeyThrottle

  constructor(options: WrongTokensOptions) {
    const { clock } = options
    this.#options = options
    this.#limit = new RateLimit(clock, { burstSeconds: MINUTE_SECONDS })
    this.#clients = new ClientKeyThrottle(clock, LOG_EVERY_MS)
  }

  /** Counts a request with a wrong token. Returns a Problem where the client has sent too many. */
  add(address: string): Problem | undefined {
    const { perMinute, metrics, logger } = this.#options
    const client = clientOf(address)
    const rateLimit = perMinute === null ? null : perMinute / MINUTE_SECONDS
    const waitSeconds = this.#limit.take({ id: client, rateLimit }, 1)
    metrics.wrongTokens.inc({ code: waitSeconds === 0 ? 401 : 429 })
    const counted = this.#clients.count(client)
    if (counted) logger.warn({ client: counted.key, requests: counted.requests }, 'token.refused')
    if (waitSeconds === 0) return undefined
    return new Problem('too_many_wrong_tokens', { headers: { 'retry-after': String(waitSeconds) } })
  }
}

/** The address, or the /64 of an IPv6 address: one client has that many addresses at least. */
export function clientOf(address: string): string {
  if (isIP(address) === 0) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
