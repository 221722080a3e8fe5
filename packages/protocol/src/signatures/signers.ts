import type { SigningKey, Webhook, WebhooksSettings } from '../destination.ts'

/** What signs the requests to a webhook. */
export interface Signers {
  /** `null`: no secret. */
  readonly sharedSecret: string | null
  /** Also signs requests while the receiver switches to the new secret. */
  readonly previousSecret?: string | undefined
  /** Newest first. */
  readonly signingKeys?: readonly SigningKey[]
}

/** The secrets and keys that sign requests to the webhook at `now`. */
export function signersOf(webhook: Webhook, settings: WebhooksSettings, now: number): Signers {
  const { signature = 'secret' } = settings
  const keys = signature === 'secret' ? {} : { signingKeys: activeKeys(settings, now) }
  if (signature === 'ed25519') return { sharedSecret: null, ...keys }
  const { secret: sharedSecret = settings.sharedSecret } = webhook
  const { previousSecret } = webhook.secret === undefined ? settings : webhook
  const isOverlap =
    sharedSecret !== null && previousSecret !== undefined && now < previousSecret.until
  return { sharedSecret, ...(isOverlap && { previousSecret: previousSecret.secret }), ...keys }
}

/** The keys that sign at `now`, newest first. The oldest published one always signs, so requests are never unsigned. */
export function activeKeys(settings: WebhooksSettings, now: number): readonly SigningKey[] {
  return publishedKeys(settings, now)
    .filter(({ from = now }, index) => index === 0 || from <= now)
    .toReversed()
}

/** The keys whose public halves receivers need, oldest first: the keys that sign at `now`, and the next one. */
export function publishedKeys(
  { signingKeys = [] }: WebhooksSettings,
  now: number,
): readonly SigningKey[] {
  return signingKeys.filter(({ until = Infinity }) => now < until)
}
