import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { Clock } from '../util/clock.ts'
import { AddressGuard } from './address-guard.ts'
import { AttemptTimer } from './attempt-timer.ts'
import { Deadline } from './deadline.ts'
import { describeFailure, describeResponse } from './failure-words.ts'
import { GuardedConnector } from './guarded-connector.ts'
import { type AttemptResult, classifyFailure, classifyResponse } from './outcome.ts'
import { Resolver } from './resolver.ts'
import { firstOf, readBody, shownBody, shownHeaders } from './response-record.ts'
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
    const { clock, timeoutMs } = options
    const guard = new AddressGuard(options.allowedNetworks)
    const resolver = new Resolver({ clock, guard, servers: options.dnsServers })
    const secureContext = trusting(options.ca)
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#connector = new GuardedConnector({ clock, timeoutMs, guard, resolver, secureContext })
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
    using deadline = new Deadline({
      clock: this.#clock,
      afterMs: this.#timeoutMs,
      signal: options.signal,
    })
    try {
      const response = await timer.run(() => this.#exchange(request, startedAt, deadline))
      const took = timer.stop()
      deadline.stop()
      return { startedAt, ...took, ...(await this.#answered(request, response)) }
    } catch (error) {
      const verdict = options.signal?.aborted ? undefined : classifyFailure(error)
      if (verdict === undefined) throw error
      return { startedAt, ...timer.stop(), ...verdict, error: describeFailure(error) }
    }
  }

  /** Drops every socket. Attempts under way reject: wait for them before, or abort them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connector[Symbol.dispose]()
    await this.#pools[Symbol.asyncDispose]()
  }

  #exchange(
    request: WebhookRequest,
    startedAt: number,
    deadline: Deadline,
  ): Promise<Dispatcher.ResponseData> {
    const url = new URL(request.url)
    const exchange = this.#pools.of(url).request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: requestHeaders(request, startedAt),
      body: request.body,
      signal: deadline.signal,
    })
    // undici heeds the signal only once it has a socket for the request.
    return deadline.race(exchange)
  }

  async #answered(
    request: WebhookRequest,
    response: Dispatcher.ResponseData,
  ): Promise<Omit<AttemptResult, 'startedAt' | 'durationMs' | 'timing'>> {
    const { statusCode: status, headers } = response
    const verdict = classifyResponse(status)
    const { sharedSecret, previousSecret } = request
    const secrets = [sharedSecret ?? '', previousSecret ?? '', ...Object.values(request.headers)]
    const shown = shownHeaders(headers, new URL(request.url), secrets)
    const retryAfterMs = retryAfter(status, firstOf(headers['retry-after']), this.#clock.now())
    const body = await readBody(response.body, this.#clock)
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
