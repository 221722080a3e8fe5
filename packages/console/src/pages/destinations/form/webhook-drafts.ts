import { LIMITS } from '@hookline/protocol'
import type { Destination } from '@hookline/cli/management-client'

/** A static header as a person writes it. */
export interface HeaderDraft {
  readonly key: number
  readonly name: string
  readonly value: string
  /** The service has a value, which it does not show again. It stays unless a new one is written. */
  readonly isStored: boolean
}

/** A webhook as a person writes it. */
export interface WebhookDraft {
  readonly key: number
  readonly url: string
  /** The URL that the stored values of its headers belong to. */
  readonly storedUrl: string | null
  readonly headers: readonly HeaderDraft[]
}

type Webhook = Destination['settings']['webhooks'][number]

let lastKey = 0

function newKey(): number {
  lastKey += 1
  return lastKey
}

export function newWebhook(url = ''): WebhookDraft {
  return { key: newKey(), url, storedUrl: null, headers: [] }
}

export function newHeader(): HeaderDraft {
  return { key: newKey(), name: '', value: '', isStored: false }
}

/** The webhooks of a destination as drafts. */
export function draftsOf(webhooks: readonly Webhook[]): WebhookDraft[] {
  return webhooks.map(({ url, headers }) => ({
    key: newKey(),
    url,
    storedUrl: url,
    headers: Object.keys(headers).map((name) => ({
      key: newKey(),
      name,
      value: '',
      isStored: true,
    })),
  }))
}

/** Whether the stored value of a header still belongs to its webhook: the service keeps it for the same URL only. */
export function isKept(header: HeaderDraft, webhook: WebhookDraft): boolean {
  return header.isStored && header.value === '' && webhook.url.trim() === webhook.storedUrl
}

interface RequestedWebhook {
  url: string
  headers: Record<string, string | { set: true }>
}

/** The webhooks as the service takes them. Rows that are left empty are left out. */
export function requestedWebhooks(drafts: readonly WebhookDraft[]): RequestedWebhook[] {
  return drafts.map((webhook) => ({
    url: webhook.url.trim(),
    headers: Object.fromEntries(
      webhook.headers
        .filter(({ name, value, isStored }) => name !== '' || value !== '' || isStored)
        .map((header) => [
          header.name.trim(),
          isKept(header, webhook) ? { set: true } : header.value,
        ]),
    ),
  }))
}

/** A header that is written twice: as an object, the request could not say so to the service. */
export function repeatedHeader({ headers }: WebhookDraft, { key, name }: HeaderDraft): boolean {
  const wanted = name.trim().toLowerCase()
  return (
    wanted !== '' &&
    headers.some((each) => each.key !== key && each.name.trim().toLowerCase() === wanted)
  )
}

/** Whether a header is written twice in any webhook. */
export function hasRepeatedHeader(drafts: readonly WebhookDraft[]): boolean {
  return drafts.some((webhook) => webhook.headers.some((each) => repeatedHeader(webhook, each)))
}

/** Where the service says what is wrong with a header. */
export function headerPointer(webhook: number, name: string): string {
  const escaped = name.trim().replaceAll('~', '~0').replaceAll('/', '~1')
  return `/settings/webhooks/${webhook}/headers/${escaped}`
}

export const MOST_WEBHOOKS = LIMITS.webhooksPerDestination
export const MOST_HEADERS = LIMITS.headersPerWebhook
