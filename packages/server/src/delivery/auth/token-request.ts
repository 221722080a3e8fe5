import { type ClientCredentials, isJsonObject, type JsonObject } from '@hookline/protocol'
import { hideSecrets } from '../../util/secrets/hide-secrets.ts'
import { basicCredentials } from './authorization.ts'

export interface TokenRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface TokenResponse {
  readonly status: number
  /** The first 8 KiB. */
  readonly body: Buffer
  readonly retryAfterMs?: number | undefined
}

/** Sends a request to a token endpoint. @throws {AuthFailedError} if no response arrives */
export type SendTokenRequest = (request: TokenRequest) => Promise<TokenResponse>

export interface AccessToken {
  readonly text: string
  readonly lifetimeMs: number
}

const PAUSE_MS = 5_000

/** The event was not sent, because no access token could be obtained. The message contains no secrets. */
export class AuthFailedError extends Error {
  override readonly name = 'AuthFailedError'
  readonly code = 'HOOKLINE_AUTH_FAILED'
  /** The pause before the next request to the endpoint. */
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = PAUSE_MS) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Requests a token with client credentials (RFC 6749 §4.4). @throws {AuthFailedError} */
export async function requestToken(
  credentials: ClientCredentials,
  send: SendTokenRequest,
): Promise<AccessToken> {
  const first = await send(requestWithHeader(credentials))
  // Some servers accept the credentials only in the body.
  const second = isClientRefused(first) ? await send(requestWithBody(credentials)) : first
  // A 400 then usually means that the server accepts credentials only in the header.
  const response = second.status === 400 ? first : second
  const token = isSuccess(response) ? tokenIn(response.body) : undefined
  if (token === undefined)
    throw new AuthFailedError(failureText(response, credentials), response.retryAfterMs)
  return token
}

function requestWithHeader({ clientId, clientSecret, ...rest }: ClientCredentials): TokenRequest {
  const credentials = basicCredentials(formEncoded(clientId), formEncoded(clientSecret))
  return requestOf(rest, {}, { Authorization: `Basic ${credentials}` })
}

function requestWithBody({ clientId, clientSecret, ...rest }: ClientCredentials): TokenRequest {
  return requestOf(rest, { client_id: clientId, client_secret: clientSecret })
}

function requestOf(
  { tokenUrl, ...parameters }: Omit<ClientCredentials, 'clientId' | 'clientSecret'>,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): TokenRequest {
  const form = {
    grant_type: 'client_credentials',
    ...parameters,
    ...fields,
  }
  return {
    url: tokenUrl,
    headers: {
      'User-Agent': 'Hookline/1.0',
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      ...headers,
    },
    body: Buffer.from(new URLSearchParams(form).toString()),
  }
}

/** Required by RFC 6749 §2.3.1 before the Basic encoding. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function isSuccess({ status }: TokenResponse): boolean {
  return status === 200
}

/**
 * RFC 6749 §5.2. Servers that find no credentials in the body also respond with `invalid_request`.
 */
function isClientRefused({ status, body }: TokenResponse): boolean {
  const { error } = objectIn(body) ?? {}
  return status === 401 || error === 'invalid_client' || error === 'invalid_request'
}

/** Assumed if the response has no `expires_in`. If the token expires sooner, the receiver's 401 triggers a renewal. */
const DEFAULT_LIFETIME_S = 60 * 60
const MAX_LIFETIME_S = 24 * 60 * 60

/** Printable ASCII without spaces, as a header requires. */
const TOKEN = /^[\x21-\x7e]+$/

function tokenIn(body: Buffer): AccessToken | undefined {
  const { access_token: text, token_type: type = 'Bearer', expires_in } = objectIn(body) ?? {}
  if (typeof text !== 'string' || !TOKEN.test(text)) return undefined
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return undefined
  // Some servers send the number as a string.
  const seconds = Number(expires_in ?? DEFAULT_LIFETIME_S)
  const lifetime = Number.isNaN(seconds) ? DEFAULT_LIFETIME_S : seconds
  return { text, lifetimeMs: Math.min(lifetime, MAX_LIFETIME_S) * 1000 }
}

function objectIn(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const MAX_DETAIL_CHARACTERS = 300

function failureText({ status, body }: TokenResponse, credentials: ClientCredentials): string {
  const object = objectIn(body)
  const details = [object?.['error'], object?.['error_description']]
    .filter((each) => typeof each === 'string')
    .join(': ')
  // RFC 6749 §5.2 allows printable ASCII only.
  const shown = hideSecrets(details, secretsOf(credentials, object))
    .replaceAll(/[^\x21-\x7e]+/g, ' ')
    .slice(0, MAX_DETAIL_CHARACTERS)
  const detail = shown === '' ? '' : ` (${shown})`
  return `The token endpoint responded with ${status}${detail}${reason(status, object)}.`
}

function reason(status: number, object: JsonObject | undefined): string {
  if (status !== 200) return ''
  if (object === undefined) return ', but the body is not a JSON object of up to 8 KiB'
  return Object.hasOwn(object, 'access_token')
    ? ', but not with a bearer token that can be sent in a header'
    : ' without an access token'
}

/** Everything that a careless endpoint may echo in its error. */
function secretsOf(
  { clientId, clientSecret }: ClientCredentials,
  object: JsonObject = {},
): string[] {
  const [id, secret] = [formEncoded(clientId), formEncoded(clientSecret)]
  const credentials = [clientSecret, secret, basicCredentials(id, secret)]
  const tokens = ['access_token', 'refresh_token', 'id_token'].map((name) => object[name])
  return [...credentials, ...tokens.filter((token) => typeof token === 'string')]
}
