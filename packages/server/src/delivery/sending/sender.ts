import { type ClientCertificate, isMailUrl, mailPortOf } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { Socket } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../util/time/clock.ts'
import { ShortLivedSet } from '../../util/short-lived.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { mailLogins } from '../auth/authorization.ts'
import { AccessTokens } from '../auth/access-tokens.ts'
import { AuthFailedError, type TokenRequest, type TokenResponse } from '../auth/token-request.ts'
import { AddressGuard } from '../network/address-guard.ts'
import { AttemptTimer } from '../network/attempt-timer.ts'
import { Exchange, ExchangeDeadlines, type WebhookResponse } from './exchange.ts'
import { Deadline } from '../network/deadline.ts'
import { GuardedConnector } from '../network/guarded-connector.ts'
import { AttemptAbortedError, MailRefusedError } from '../network/network-errors.ts'
import { ProxyTunnel } from '../network/proxy-tunnel.ts'
import type { InProcessReceiver } from '../network/in-process-receiver.ts'
import {
  type AttemptResult,
  classification,
  classifyFailure,
  classifyResponse,
  describeFailure,
  describeResponse,
  instructionIn,
  retryAfter,
} from './outcome.ts'
import {
  hostProblem,
  type HostCheckOptions,
  type HostProblem,
  Resolver,
} from '../network/resolver.ts'
import { mailHostOf, sendMail } from './mail.ts'
import { joinHeaderValues, secretsIn, shownBody, shownHeaders } from './response-record.ts'
import { fingerprintOf, pathOf, ReceiverSockets, WebhookPools } from './receiver-sockets.ts'
import { refuseUnsendable, requestHeaders, type WebhookRequest } from './webhook-request.ts'

const MAX_HEADER_BYTES = 16 * 1024
const EVERY_NETWORK = ['0.0.0.0/0', '::/0']
/** The maximum number of TLS contexts in memory. Creating one can take 25 ms. */
const MAX_SECURE_CONTEXTS = 100

export interface WebhookSenderOptions {
  readonly clock: Clock
  /** From the DNS lookup to the last response header, unless the webhook has its own timeout. */
  readonly timeoutMs: number
  /** Non-public networks that may be reached, like `10.0.0.0/8`. */
  readonly allowedNetworks: readonly string[]
  /** Reserved ports that webhooks may use. */
  readonly allowedPorts?: ReadonlySet<number>
  readonly ca?: string | undefined
  /** Attempts beyond this wait for a socket; the wait counts towards their deadline. */
  readonly maxConnectionsPerWebhook: number
  /**
   * The maximum number of sockets for all webhooks, exceeded only if more attempts are in flight.
   * Idle sockets are closed to make room.
   */
  readonly maxSockets?: number
  /** `address:port`; defaults to the system's name servers. */
  readonly dnsServers?: readonly string[]
  readonly egressProxy?: Redacted | undefined
  readonly inspector?: InProcessReceiver | undefined
}

type HttpRequest = Pick<
  WebhookRequest,
  'method' | 'url' | 'filledUrl' | 'headers' | 'body' | 'auth'
>

export interface SendOptions {
  /** Whether the result of a successful attempt includes headers and body. Defaults to true. */
  readonly includeSuccessResponse?: boolean
  /** Called before each request that may have waited for an access token. If it returns false, the request is not sent. */
  readonly onBegin?: () => boolean
  /** Called as the request is written to its socket, and again when it is repeated. */
  readonly onWritten?: () => void
}

export class WebhookSender implements AsyncDisposable {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #deadlines: ExchangeDeadlines
  readonly #connector: GuardedConnector
  readonly #hosts: HostCheckOptions
  readonly #pools: WebhookPools
  readonly #ca: string | undefined
  /** For connections without a client certificate. */
  readonly #secureContext: SecureContext
  readonly #secureContexts = new LRUCache<string, SecureContext>({ max: MAX_SECURE_CONTEXTS })
  readonly #tokens: AccessTokens
  readonly #inFlight = new ShortLivedSet<Exchange>()
  readonly #aborting = new AbortController()

  constructor(options: WebhookSenderOptions) {
    const { clock, timeoutMs, allowedPorts = new Set() } = options
    const guard = new AddressGuard(options.allowedNetworks)
    const resolver = new Resolver({ clock, guard, servers: options.dnsServers })
    this.#ca = options.ca
    const secureContext = trusting(options.ca)
    this.#secureContext = secureContext
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#deadlines = new ExchangeDeadlines(clock, timeoutMs)
    const tunnel = tunnelOf(options, secureContext)
    this.#hosts = { clock, guard, resolver, isBehindProxy: tunnel !== undefined }
    const { inspector } = options
    const guarded = { guard, allowedPorts, resolver, secureContext, tunnel, inspector }
    this.#connector = new GuardedConnector({ clock, timeoutMs, ...guarded })
    this.#tokens = new AccessTokens({ clock, send: (request) => this.#requestToken(request) })
    const sockets = new ReceiverSockets(options.maxSockets ?? Infinity)
    this.#pools = new WebhookPools((certificate) => ({
      factory: sockets.factory(this.#connectorFor(certificate)),
      connections: options.maxConnectionsPerWebhook,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Exchange enforces the deadline of the attempt and the limits of the body.
      headersTimeout: 0,
      bodyTimeout: 0,
    }))
  }

  /** Why webhooks cannot reach a host now. Resolves within a second, and never rejects. */
  hostProblem(host: string): Promise<HostProblem | undefined> {
    return hostProblem(host, this.#hosts)
  }

  /**
   * Makes one attempt. Returns failures as results. Does not follow redirects.
   * @throws {AttemptAbortedError} after `abort`, or if `onBegin` returned false before the first
   * request
   */
  async send(request: WebhookRequest, options: SendOptions = {}): Promise<AttemptResult> {
    const { url, auth } = request
    if (isMailUrl(url)) return this.#sendMail(request, options)
    if (auth === undefined || !('oauth2' in auth)) return this.#attempt(request, options)
    const [startedAt, begunAt] = [this.#clock.wall(), this.#clock.now()]
    try {
      return await this.#tokens.attempt(
        url,
        auth.oauth2,
        async (token, refused?: AttemptResult) => {
          if (options.onBegin?.() !== false) return this.#attempt({ ...request, token }, options)
          if (refused === undefined) throw new AttemptAbortedError()
          return { ...refused, outcome: 'retry' }
        },
      )
    } catch (error) {
      if (!(error instanceof AuthFailedError)) throw error
      const { message, retryAfterMs } = error
      const durationMs = this.#clock.now() - begunAt
      const failed = { ...classification('auth_failed'), error: message, retryAfterMs }
      return { startedAt, durationMs, timing: {}, ...failed }
    }
  }

  async #attempt(request: WebhookRequest, options: SendOptions): Promise<AttemptResult> {
    const startedAt = this.#clock.wall()
    const timer = new AttemptTimer(request.limits?.timeoutMs)
    const headers = requestHeaders(request, startedAt)
    try {
      refuseUnsendable(request.headers)
      const response = await this.#exchange({ ...request, headers }, timer, options.onWritten)
      timer.endTransfer()
      return { startedAt, ...timer.result, ...this.#resultOf(request, response, options) }
    } catch (error) {
      const failure = classifyFailure(error)
      if (failure === undefined) throw error
      timer.stop()
      return { startedAt, ...timer.result, ...failure, error: describeFailure(error) }
    }
  }

  async #sendMail(
    request: WebhookRequest,
    { onWritten, includeSuccessResponse = true }: SendOptions,
  ): Promise<AttemptResult> {
    const startedAt = this.#clock.wall()
    const afterMs = request.limits?.timeoutMs ?? this.#timeoutMs
    const timer = new AttemptTimer(afterMs)
    const { signal: aborted } = this.#aborting
    const shown = (status: number, reply: string) => ({
      status,
      body: shownBody(Buffer.from(reply), [...secretsIn(request), ...mailLogins(request.auth)]),
    })
    using deadline = new Deadline({ clock: this.#clock, afterMs, signal: aborted })
    const url = new URL(request.url)
    const to = { host: mailHostOf(url), port: mailPortOf(url) }
    try {
      const socket = await this.#connector.openForMail(to, timer, deadline)
      using _ = closing(socket)
      onWritten?.()
      const { signal } = deadline
      const connection = { socket, secureContext: this.#secureContext, signal }
      const { status, text, isPartial } = await deadline.race(sendMail(request, connection))
      timer.stop()
      const isShown = includeSuccessResponse || isPartial
      const response = isShown ? shown(status, text) : { status }
      return { startedAt, ...timer.result, ...classification('delivered'), ...response }
    } catch (error) {
      const failure = classifyFailure(error)
      if (failure === undefined) throw error
      timer.stop()
      const reply = error instanceof MailRefusedError ? shown(error.status, error.reply) : {}
      return { startedAt, ...timer.result, ...failure, error: describeFailure(error), ...reply }
    }
  }

  /** The same rules as for webhooks apply to the token endpoint: network, proxy, TLS, deadline and response size. */
  async #requestToken(request: TokenRequest): Promise<TokenResponse> {
    try {
      const { status, headers, body } = await this.#exchange(request, new AttemptTimer())
      const pauseMs = retryAfter(
        status,
        joinHeaderValues(headers['retry-after']),
        this.#clock.wall(),
      )
      return { status, body, retryAfterMs: pauseMs }
    } catch (error) {
      if (classifyFailure(error) === undefined) throw error
      throw new AuthFailedError(
        `The request to the token endpoint failed: ${describeFailure(error)}`,
      )
    }
  }

  async #exchange(
    request: HttpRequest,
    timer: AttemptTimer,
    onWritten?: () => void,
  ): Promise<WebhookResponse> {
    if (this.#aborting.signal.aborted) throw new AttemptAbortedError()
    const exchange = new Exchange(this.#deadlines, timer, onWritten)
    const entry = this.#inFlight.add(exchange)
    try {
      this.#dispatch(request, exchange)
      return await exchange.response
    } finally {
      this.#inFlight.delete(entry)
    }
  }

  /** Aborts the attempts in flight, and refuses new ones. An attempt that already has a status resolves. */
  abort(): void {
    this.#aborting.abort(new AttemptAbortedError())
    for (const exchange of this.#inFlight.values()) exchange.abort(new AttemptAbortedError())
  }

  /** Closes every socket. Attempts in progress fail: await or abort them first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#connector[Symbol.dispose]()
    this.#aborting.abort(new Error('The sender was closed.'))
    await this.#pools[Symbol.asyncDispose]()
  }

  #dispatch(request: HttpRequest, exchange: Exchange): void {
    const { method = 'POST', url, filledUrl, headers, body, auth } = request
    try {
      const { pool, path } = this.#pools.of(url, certificateIn(auth))
      const filled = filledUrl === undefined ? path : pathOf(new URL(filledUrl))
      exchange.begin(pool, { method, path: filled, headers, body })
    } catch (error) {
      exchange.refuse(error)
    }
  }

  #connectorFor(certificate: ClientCertificate | undefined): buildConnector.connector {
    if (certificate === undefined) return this.#connector.connect
    const key = fingerprintOf(certificate)
    const context = this.#secureContexts.get(key) ?? trusting(this.#ca, certificate)
    this.#secureContexts.set(key, context)
    return this.#connector.connectWith(context)
  }

  #resultOf(
    request: WebhookRequest,
    { status, headers, body }: WebhookResponse,
    { includeSuccessResponse = true }: SendOptions,
  ): Omit<AttemptResult, 'startedAt' | 'durationMs' | 'timing'> {
    const instruction = instructionIn(headers['webhook-delivery'])
    const retryOn = request.limits?.retryOn
    const classified = classifyResponse(status, { instruction, retryOn })
    const isDelivered = classified.outcome === 'delivered'
    if (isDelivered && !includeSuccessResponse && instruction === undefined)
      return { ...classified, status }
    const secrets = secretsIn(request)
    const shown = shownHeaders(headers, request.filledUrl ?? request.url, secrets)
    // The error is logged, and a redirect's target usually repeats the path with its user data.
    const location = request.filledUrl === undefined ? shown['location'] : undefined
    const retryAfterMs = retryAfter(
      status,
      joinHeaderValues(headers['retry-after']),
      this.#clock.wall(),
    )
    return {
      ...classified,
      status,
      ...(!isDelivered && { error: describeResponse(status, location, instruction) }),
      ...(instruction !== undefined && { instruction }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      headers: shown,
      body: shownBody(body, secrets),
    }
  }
}

function closing(socket: Socket): Disposable {
  return { [Symbol.dispose]: () => socket.destroy() }
}

function certificateIn(auth: WebhookRequest['auth']): ClientCertificate | undefined {
  return auth !== undefined && 'clientCertificate' in auth ? auth.clientCertificate : undefined
}

function tunnelOf(
  { clock, dnsServers: servers, egressProxy: proxy }: WebhookSenderOptions,
  secureContext: SecureContext,
): ProxyTunnel | undefined {
  if (proxy === undefined) return undefined
  const guard = new AddressGuard(EVERY_NETWORK)
  return new ProxyTunnel({
    proxy,
    resolver: new Resolver({ clock, guard, servers }),
    secureContext,
  })
}

/**
 * Creates a TLS context. Connections without a client certificate share one, because creating it
 * reads all certificate authorities.
 */
function trusting(ca: string | undefined, client?: ClientCertificate): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(client && { cert: client.certificate, key: client.key }),
    ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }),
  })
}
