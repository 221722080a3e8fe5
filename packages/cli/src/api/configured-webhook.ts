import type { Destination } from './generated/management-client.ts'

type Webhook = Destination['settings']['webhooks'][number]
export type Limits = NonNullable<Webhook['limits']>

/** A webhook in a request that replaces the webhooks of a destination. */
export interface RequestedWebhook {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: object
  readonly limits?: Limits
  readonly secret?: string
}

/** A webhook setting other than the URL. */
export type WebhookPart = keyof Omit<RequestedWebhook, 'url'>

/**
 * Adds the current configuration of the URL, without the `removed` parts, to a webhook. The webhook's own settings take
 * precedence; headers and limits are merged by name.
 */
export function withCurrentConfiguration(
  webhook: RequestedWebhook,
  current: readonly Webhook[],
  removed: ReadonlySet<WebhookPart> = new Set(),
): { readonly url: string; readonly headers: object } {
  const found = current.find(({ url }) => normalizeUrl(url) === normalizeUrl(webhook.url))
  const stored = Object.fromEntries(
    Object.entries(found ?? {}).filter(([name]) => !removed.has(name as WebhookPart)),
  ) as Partial<Webhook>
  const { headers = {}, limits } = webhook
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const kept = Object.entries(stored.headers ?? {}).filter(
    ([name]) => !names.has(name.toLowerCase()),
  )
  return {
    ...stored,
    ...webhook,
    headers: { ...Object.fromEntries(kept), ...headers },
    ...((stored.limits ?? limits) && { limits: { ...stored.limits, ...limits } }),
  }
}

/** Normalises a URL as the service does. Returns an invalid one unchanged: the service reports it. */
function normalizeUrl(url: string): string {
  return URL.parse(url)?.href ?? url
}
