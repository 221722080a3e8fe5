import { LIMITS } from '@hookline/protocol'
import type { Destination } from '@hookline/cli/management-client'
import { type AuthDraft, authDraftOf, emptyAuth, requestedAuth } from './auth-draft.ts'
import { draftOfLimits, type LimitsDraft, NO_LIMITS, requestedLimits } from './limits-draft.ts'

export interface HeaderDraft {
  readonly key: number
  readonly name: string
  readonly value: string
  /** The service stores a value and never returns it. An empty new value keeps it. */
  readonly isStored: boolean
}

export interface WebhookDraft {
  readonly key: number
  readonly url: string
  /** The URL for which secrets are stored. */
  readonly storedUrl: string | null
  readonly headers: readonly HeaderDraft[]
  readonly auth: AuthDraft
  readonly limits: LimitsDraft
  /** Whether the stored URL has a webhook secret. It is changed in the panel "Secrets". */
  readonly hasSecret: boolean
}

export interface WebhooksDraft {
  readonly webhooks: readonly WebhookDraft[]
  /** Which webhooks must accept an event. */
  readonly policy: 'any' | 'each'
}

export const POLICIES = {
  any: 'one URL accepts the event',
  each: 'every URL accepts the event',
} as const

type Webhook = Destination['settings']['webhooks'][number]

let lastKey = 0

function newKey(): number {
  lastKey += 1
  return lastKey
}

export function newWebhook(url = ''): WebhookDraft {
  return {
    key: newKey(),
    url,
    storedUrl: null,
    headers: [],
    auth: emptyAuth(),
    limits: NO_LIMITS,
    hasSecret: false,
  }
}

export function newHeader(): HeaderDraft {
  return { key: newKey(), name: '', value: '', isStored: false }
}

export function draftsOf(webhooks: readonly Webhook[]): WebhookDraft[] {
  return webhooks.map(({ url, headers, auth, limits = {}, secret }) => ({
    key: newKey(),
    url,
    storedUrl: url,
    headers: Object.keys(headers).map((name) => ({
      key: newKey(),
      name,
      value: '',
      isStored: true,
    })),
    auth: authDraftOf(auth),
    limits: draftOfLimits(limits),
    hasSecret: secret !== undefined,
  }))
}

/** Whether the service keeps the stored value of a header: it does so only while the URL stays the same. */
export function keepsValue(header: HeaderDraft, webhook: WebhookDraft): boolean {
  return header.isStored && header.value === '' && hasSameUrl(webhook)
}

export function hasSameUrl({ url, storedUrl }: WebhookDraft): boolean {
  return url.trim() === storedUrl
}

/** Whether the service keeps the webhook secret. A new URL uses the shared secret. */
export function keepsSecret(webhook: WebhookDraft): boolean {
  return webhook.hasSecret && hasSameUrl(webhook)
}

interface RequestedWebhook {
  url: string
  headers: Record<string, string | { set: true }>
  auth?: object
  limits?: object
  secret?: { set: true }
}

/** The webhooks for a request, without empty header rows. */
export function requestedWebhooks(drafts: readonly WebhookDraft[]): RequestedWebhook[] {
  return drafts.map((webhook) => {
    const auth = requestedAuth(webhook.auth, hasSameUrl(webhook))
    const limits = requestedLimits(webhook.limits)
    const secret = keepsSecret(webhook) && { secret: { set: true as const } }
    const policies = { ...(auth && { auth }), ...(limits && { limits }), ...secret }
    return { ...requestedHeaders(webhook), ...policies }
  })
}

function requestedHeaders(webhook: WebhookDraft): RequestedWebhook {
  return {
    url: webhook.url.trim(),
    headers: Object.fromEntries(
      webhook.headers
        .filter(({ name, value, isStored }) => name !== '' || value !== '' || isStored)
        .map((header) => [
          header.name.trim(),
          keepsValue(header, webhook) ? { set: true } : header.value,
        ]),
    ),
  }
}

/** Whether another header has the same name. The service cannot check this: headers are sent as an object. */
export function isRepeatedHeader({ headers }: WebhookDraft, { key, name }: HeaderDraft): boolean {
  const lowerName = name.trim().toLowerCase()
  return (
    lowerName !== '' &&
    headers.some((each) => each.key !== key && each.name.trim().toLowerCase() === lowerName)
  )
}

export function hasRepeatedHeader(drafts: readonly WebhookDraft[]): boolean {
  return drafts.some((webhook) => webhook.headers.some((each) => isRepeatedHeader(webhook, each)))
}

/** The JSON Pointer of a header in errors from the service. */
export function headerPointer(webhook: number, name: string): string {
  const escaped = name.trim().replaceAll('~', '~0').replaceAll('/', '~1')
  return `/settings/webhooks/${webhook}/headers/${escaped}`
}

export const MAX_WEBHOOKS = LIMITS.webhooksPerDestination
export const MAX_HEADERS = LIMITS.headersPerWebhook
