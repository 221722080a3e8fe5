import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Clock } from '../../util/clock.ts'
import { AddressGuard } from '../network/address-guard.ts'
import { AttemptTimer } from '../network/attempt-timer.ts'
import { type Answer, Exchange } from './exchange.ts'
import { describeFailure, describeResponse } from './failure-words.ts'
import { GuardedConnector } from '../network/guarded-connector.ts'
import { type AttemptResult, classifyFailure, classifyResponse } from './outcome.ts'
import { Resolver } from '../network/resolver.ts'
import { firstOf, secretsIn, shownBody, shownHeaders } from './response-record.ts'
import { retryAfter } from './retry-after.ts'
import { WebhookPools } from './webhook-pools.ts'
import { requestHeaders, type WebhookRequest } from './webhook-request.ts'

const MAX_HEADER_BYTES = 16 * 1024

export interface WebhookSenderOptions {
  readonly clock: Clock
  /** From the name look-up to the last response header. */
  readonly timeoutMs: number
  /** Networks that may be reached although they are not public, like `10.0.0.0/8`. */
  readonly allowedNetworks: readonly string[]
  /** Ports that may be reached although they are not for web servers. */
  readonly allowedPorts?: ReadonlySet<number>
  /** PEM: certificate authorities besides the usual ones. */
  readonly ca?: string | undefined
  /** Sockets of one webhook; an attempt beyond them waits, and its deadline runs. */
  readonly maxConnectionsPerWebhook: number
  /** Name servers as `address:port`, in place of the system's. */
  readonly dnsServers?: readonly string[]
}

/** Makes attempts: one HTTP request to one webhook each, and what came of it as a value. */
export class WebhookSender implements AsyncDisposable {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #connector: GuardedConnector
  readonly #pools: WebhookPools

  constructor(options: WebhookSenderOptions) {
    const { clock, timeoutMs, allowedPorts = new Set() } = options
    const guard = new AddressGuard(options.allowedNetworks)
    const resolver = new Resolver({ clock, guard, servers: options.dnsServers })
    const secureContext = trusting(options.ca)
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    const guarded = { guard, allowedPorts, resolver, secureContext }
    this.#connector = new GuardedConnector({ clock, timeoutMs, ...guarded })
    this.#pools = new WebhookPools({
      connect: this.#connector.connect,
      connections: options.maxConnectionsPerWebhook,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The deadline of the attempt and the limits of the body are ours alone.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /**
   * Makes one attempt. Whatever network and receiver do is a result; redirects are never followed.
   * Rejects with the signal's reason when `signal` aborts before an answer came, and for a bug.
   */
  async send(
    request: WebhookRequest,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<AttemptResult> {
    const startedAt = this.#clock.now()
    const timer = new AttemptTimer()
    const exchange = new Exchange({
      clock: this.#clock,
      timeoutMs: this.#timeoutMs,
      signal: options.signal,
      onHead: () => timer.stop(),
    })
    try {
      timer.run(() => this.#dispatch(request, startedAt, exchange))
      const answer = await exchange.answer
      return { startedAt, ...timer.took, ...this.#answered(request, answer) }
    } catch (error) {
      const verdict = options.signal?.aborted ? undefined : classifyFailure(error)
      if (verdict === undefined) throw error
      timer.stop()
      return { startedAt, ...timer.took, ...verdict, error: describeFailure(error) }
    }
  }

  /** Drops every socket. Attempts under way reject: wait for them before, or abort them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connector[Symbol.dispose]()
    await this.#pools[Symbol.asyncDispose]()
  }

  #dispatch(request: WebhookRequest, startedAt: number, exchange: Exchange): void {
    const { pool, path } = this.#pools.of(request.url)
    const headers = requestHeaders(request, startedAt)
    pool.dispatch({ method: 'POST', path, headers, body: request.body }, exchange)
  }

  #answered(
    request: WebhookRequest,
    { status, headers, body }: Answer,
  ): Omit<AttemptResult, 'startedAt' | 'durationMs' | 'timing'> {
    const verdict = classifyResponse(status)
    const secrets = secretsIn(request)
    const shown = shownHeaders(headers, request.url, secrets)
    const retryAfterMs = retryAfter(status, firstOf(headers['retry-after']), this.#clock.now())
    return {
      ...verdict,
      status,
      ...(verdict.outcome !== 'delivered' && {
        error: describeResponse(status, shown['location']),
      }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      headers: shown,
      body: shownBody(body, secrets),
    }
  }
}

/** One context for all connections: making one reads every authority's certificate. */
function trusting(ca: string | undefined): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
  })
}
