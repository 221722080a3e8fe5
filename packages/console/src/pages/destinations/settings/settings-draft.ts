import type { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { draftsOf, requestedWebhooks, type WebhookDraft } from '../form/webhook-drafts.ts'

/** The settings as a person writes them. */
export interface SettingsDraft {
  readonly name: string
  readonly enabled: boolean
  readonly webhooks: readonly WebhookDraft[]
  readonly policy: 'any' | 'each'
}

export function draftOf({ name, enabled, settings }: Destination): SettingsDraft {
  const { webhooks, successPolicy } = settings
  return { name, enabled, webhooks: draftsOf(webhooks), policy: successPolicy }
}

export type Change = Parameters<typeof api.changeDestination>[1]

/** What the draft changes. It is empty where it says the same as the destination. */
export function changeOf(draft: SettingsDraft, destination: Destination): Change {
  const { name, enabled, settings } = destination
  const webhooks = requestedWebhooks(draft.webhooks)
  const stored = settings.webhooks.map(({ url, headers }) => ({ url, headers }))
  const part = {
    ...(JSON.stringify(webhooks) !== JSON.stringify(stored) && { webhooks }),
    ...(draft.policy !== settings.successPolicy && { successPolicy: draft.policy }),
  }
  return {
    ...(draft.name !== name && { name: draft.name }),
    ...(draft.enabled !== enabled && { enabled: draft.enabled }),
    ...(Object.keys(part).length > 0 && { settings: part }),
  }
}

/** What a change that is saved does. */
export function savedWords({ enabled, settings }: Change): string {
  if (enabled === false) return 'Saved. New events are not delivered to it from now on.'
  if (enabled === true) return 'Saved. New events are delivered to it from now on.'
  return settings === undefined ? 'Saved.' : 'Saved. It applies to the next attempts.'
}

export function isEmpty(change: Change): boolean {
  return Object.keys(change).length === 0
}
