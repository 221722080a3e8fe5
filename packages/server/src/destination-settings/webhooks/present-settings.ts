import {
  formatTimestamp,
  type Pause,
  type SuccessPolicy,
  type WebhooksSettings,
} from '@hookline/protocol'
import { type Hidden, hide } from './hidden.ts'

/** Settings as the API shows them: header values and the shared secret are hidden. */
export interface PresentedSettings {
  /** `previousUntil`: until then, requests are also signed with the previous secret. */
  readonly sharedSecret: (Hidden & { readonly previousUntil?: string }) | { readonly set: false }
  readonly webhooks: readonly {
    readonly url: string
    readonly headers: Readonly<Record<string, { readonly set: true }>>
    readonly paused: Pause | null
  }[]
  readonly successPolicy: SuccessPolicy
}

/** Hides the secrets of settings. `parseWebhooksSettings` accepts the hidden forms. */
export function presentWebhooksSettings(settings: WebhooksSettings): PresentedSettings {
  const { sharedSecret, previousSecret, webhooks, successPolicy } = settings
  const previousUntil = previousSecret && formatTimestamp(previousSecret.until)
  return {
    sharedSecret:
      sharedSecret === null
        ? { set: false }
        : { ...hide(sharedSecret), ...(previousUntil && { previousUntil }) },
    webhooks: webhooks.map(({ url, headers, paused = null }) => ({
      url,
      headers: hideValues(headers),
      paused,
    })),
    successPolicy,
  }
}

function hideValues(headers: Readonly<Record<string, string>>): Record<string, { set: true }> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { set: true }]))
}
