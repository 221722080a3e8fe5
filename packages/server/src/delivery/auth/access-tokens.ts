import type { ClientCredentials } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../util/time/clock.ts'
import { requestToken, type SendTokenRequest } from './token-request.ts'

const UNAUTHORIZED = 401
/** A token is renewed this long before it expires, or after half its lifetime if that is later. */
const MARGIN_MS = 60_000
/** After the receiver refuses a new token as well, no refused token is replaced for this long. */
const REFUSED_MS = 10_000
/** Beyond this, the least recently used tokens are evicted. */
const MAX_TOKENS = 10_000

export interface AccessTokensOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly send: SendTokenRequest
}

/** Caches the access tokens of webhooks, in memory only. */
export class AccessTokens {
  readonly #options: AccessTokensOptions
  readonly #byWebhook = new LRUCache<string, WebhookToken>({ max: MAX_TOKENS })

  constructor(options: AccessTokensOptions) {
    this.#options = options
  }

  /**
   * Makes an attempt with the webhook's token. If the receiver responds with 401, makes a second one with a new token,
   * and passes it the result of the first.
   * @throws {AuthFailedError} if the endpoint returned no token
   */
  async attempt<Result extends { readonly status?: number }>(
    url: string,
    credentials: ClientCredentials,
    attempt: (token: string, refused?: Result) => Promise<Result>,
  ): Promise<Result> {
    const webhook = this.#of(url, credentials)
    const token = await webhook.token()
    const result = await attempt(token)
    if (result.status !== UNAUTHORIZED) return result
    const next = await webhook.tokenAfter(token)
    if (next === undefined) return result
    const repeated = await attempt(next, result)
    if (repeated.status === UNAUTHORIZED) webhook.onRefused()
    return repeated
  }

  /** Changed credentials need a new token. */
  #of(url: string, credentials: ClientCredentials): WebhookToken {
    const { tokenUrl, clientId, clientSecret, scope, audience, resource } = credentials
    const key = JSON.stringify([url, tokenUrl, clientId, clientSecret, scope, audience, resource])
    const known = this.#byWebhook.get(key)
    if (known !== undefined) return known
    const webhook = new WebhookToken(credentials, this.#options)
    this.#byWebhook.set(key, webhook)
    return webhook
  }
}

/** The token of one webhook. Attempts that need a new one share a request. */
class WebhookToken {
  readonly #credentials: ClientCredentials
  readonly #options: AccessTokensOptions
  #current: { readonly text: string; readonly until: number } | undefined
  #request: Promise<string> | undefined
  #refusedUntil = 0

  constructor(credentials: ClientCredentials, options: AccessTokensOptions) {
    this.#credentials = credentials
    this.#options = options
  }

  async token(): Promise<string> {
    const current = this.#current
    if (current !== undefined && this.#options.clock.now() < current.until) return current.text
    this.#request ??= this.#renew().finally(() => (this.#request = undefined))
    return this.#request
  }

  /** The token that replaces a refused one, if any. */
  async tokenAfter(refused: string): Promise<string | undefined> {
    if (this.#options.clock.now() < this.#refusedUntil) return undefined
    if (this.#current?.text === refused) this.#current = undefined
    const token = await this.token()
    if (token !== refused) return token
    this.onRefused()
    return undefined
  }

  /** The receiver refused a new token, or the endpoint returned the refused one. */
  onRefused(): void {
    this.#refusedUntil = this.#options.clock.now() + REFUSED_MS
  }

  async #renew(): Promise<string> {
    const { clock, send } = this.#options
    const requestedAt = clock.now()
    const { text, lifetimeMs } = await requestToken(this.#credentials, send)
    const until = requestedAt + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2)
    this.#current = { text, until }
    return text
  }
}
