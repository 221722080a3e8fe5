import type { Fields, Filter, Format, Sample } from './filter.ts'

/**
 * Why deliveries are held.
 * - `webhook_gone`: the receiver responded with 410 three times in a row, at least a minute apart.
 * - `url_forbidden`: the address or the port of the URL is forbidden. Hookline tries it again after each start.
 * - `disabled_by_receiver`: a response had the header `webhook-delivery: disable`.
 */
export const PAUSE_REASONS = [
  'operator',
  'webhook_gone',
  'url_forbidden',
  'disabled_by_receiver',
] as const

/** A pause of a destination or a webhook. `resume` ends it. */
export interface Pause {
  /** In milliseconds since the epoch. */
  readonly since: number
  readonly reason: (typeof PAUSE_REASONS)[number]
}

/** Limits of one webhook. An absent limit defaults to the service's setting. */
export interface WebhookLimits {
  /** Attempts started per second, across all nodes. Absent: no limit. */
  readonly perSecond?: number
  /** Attempts in flight, across all nodes, unless the service's limit is lower. */
  readonly concurrency?: number
  readonly timeoutMs?: number
  /** Deletion notices keep their own window. */
  readonly retryWindowMs?: number
  /** The delays after the first, second, … attempt. The last delay repeats. */
  readonly retryScheduleMs?: readonly number[]
  /** Statuses that are retried, although they usually end the delivery. */
  readonly retryOn?: readonly number[]
}

/** One URL of a destination. */
export interface Webhook {
  /** Normalised by WHATWG URL parsing, but with readable placeholders: `{{userId}}`. Unique within a destination. */
  readonly url: string
  /** Static headers. The values are secrets: only the names are shown. */
  readonly headers: Readonly<Record<string, string>>
  /** How its requests authenticate. Absent: with static headers, or not at all. */
  readonly auth?: WebhookAuth
  readonly limits?: WebhookLimits
  /** While present, Hookline makes no attempts to this webhook. */
  readonly paused?: Pause
  /** Signs the requests to this webhook instead of the destination's shared secret. */
  readonly secret?: string
  /** Present while the receiver switches to a new secret. */
  readonly previousSecret?: PreviousSecret
}

/** How requests to a webhook authenticate. All but the last set the header `Authorization`. */
export type WebhookAuth =
  | { readonly basic: { readonly user: string; readonly password: string } }
  | { readonly bearer: string }
  | { readonly oauth2: ClientCredentials }
  | { readonly clientCertificate: ClientCertificate }

/** The client credentials grant of OAuth 2 (RFC 6749 §4.4). */
export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  /** The API that the token is for, if the token endpoint requires `audience`, as Auth0's does. */
  readonly audience?: string
  /** The API that the token is for, if the token endpoint requires `resource` (RFC 8707). */
  readonly resource?: string
}

/** For TLS client authentication, as PEM. */
export interface ClientCertificate {
  /** The certificate, followed by its intermediate certificates. */
  readonly certificate: string
  readonly key: string
}

/**
 * When a delivery to several webhooks counts as delivered.
 * - `any`: when one webhook accepts it; the others are not retried.
 * - `each`: when every webhook accepts it; each is retried separately.
 */
export const SUCCESS_POLICIES = ['any', 'each'] as const
export type SuccessPolicy = (typeof SUCCESS_POLICIES)[number]

/** A replaced secret. Requests are also signed with it until `until`. */
export interface PreviousSecret {
  readonly secret: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** The HTTP methods of requests to webhooks. */
export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH'] as const

export type WebhookMethod = (typeof WEBHOOK_METHODS)[number]

/** The fields of the payload that a webhook URL may contain in its path and query: `{{userId}}`. */
export const URL_FIELDS = ['userId', 'event', 'type'] as const

/** What signs requests: the secrets, an Ed25519 key pair, or both. */
export const SIGNATURES = ['secret', 'ed25519', 'both'] as const
export type SignatureKind = (typeof SIGNATURES)[number]

/** An Ed25519 key pair of a destination. Its public key is published from its creation until `until`. */
export interface SigningKey {
  /** `whsk_…`, which includes the public key. */
  readonly privateKey: string
  /** When it begins to sign, in milliseconds since the epoch. Absent for the first key, which has always signed. */
  readonly from?: number
  /** When it stops signing, in milliseconds since the epoch. Absent for the newest key. */
  readonly until?: number
}

export interface WebhooksSettings {
  /** Signs requests to webhooks that have no `secret`. `null`: those requests are not signed with a secret. */
  readonly sharedSecret: string | null
  /** Present while receivers switch to a new secret. */
  readonly previousSecret?: PreviousSecret
  /** Absent: `secret`. */
  readonly signature?: SignatureKind
  /** Oldest first. Kept while `signature` is `secret`, so that receivers can keep the public keys. */
  readonly signingKeys?: readonly SigningKey[]
  /** One to five webhooks. */
  readonly webhooks: readonly Webhook[]
  readonly successPolicy: SuccessPolicy
  /** Which events it gets; absent for all. */
  readonly filter?: Filter
  /** The share of these events that it gets; absent for all. */
  readonly sample?: Sample
  /** Absent: all fields. */
  readonly fields?: Fields
  /** Absent: `hookline`. */
  readonly format?: Format
  /** A JSONata expression that makes the body of each request from the formatted payload. Absent: the payload itself. */
  readonly transform?: string
  /** Absent: `POST`. */
  readonly method?: WebhookMethod
}

/** A target of a source's events. Its type is also its name in `integrations`. */
export interface Destination {
  /** `dst_…` */
  readonly id: string
  readonly sourceId: string
  readonly type: 'Webhooks'
  readonly name: string
  readonly enabled: boolean
  /**
   * When it was last enabled or disabled, or else created, in milliseconds since the epoch. Absent if that happened
   * in an earlier version of Hookline.
   */
  readonly enabledChangedAt?: number
  /** While not `null`, deliveries are held. */
  readonly paused: Pause | null
  readonly settings: WebhooksSettings
  readonly createdAt: number
  readonly updatedAt: number
  /** Incremented by every change. An update states the version it is based on. */
  readonly version: number
}

/** The health of one webhook: its breaker, its `Retry-After` and its pace. */
export interface WebhookState {
  readonly url: string
  readonly breaker: 'closed' | 'open' | 'half_open'
  /** When the breaker left the closed state, in milliseconds since the epoch; `null` while it is closed. */
  readonly brokenSince: number | null
  /** The time before which no attempt is made, in milliseconds since the epoch; `null` if one may be made now. */
  readonly openUntil: number | null
  /** The end of the last delay requested with `Retry-After`, or after a failed request for a token; `null` if it has passed. */
  readonly retryAfterUntil: number | null
  /** The attempts per second while its receiver throttles; `null` if unlimited. */
  readonly pacePerSecond: number | null
}

/** The health of a webhook, and the number of its attempts in flight. */
export interface LaneState extends WebhookState {
  readonly inFlight: number
}
