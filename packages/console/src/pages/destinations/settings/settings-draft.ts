import type { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { draftsOf, requestedWebhooks, type WebhooksDraft } from '../form/webhook-drafts.ts'

export interface SettingsDraft extends WebhooksDraft {
  readonly name: string
  readonly enabled: boolean
}

export function draftOf({ name, enabled, settings }: Destination): SettingsDraft {
  const { webhooks, successPolicy } = settings
  return { name, enabled, webhooks: draftsOf(webhooks), policy: successPolicy }
}

export type DestinationChange = Parameters<typeof api.changeDestination>[1]

/** The fields of the draft that differ from the destination. */
export function changeOf(draft: SettingsDraft, destination: Destination): DestinationChange {
  const { name, enabled, settings } = destination
  const webhooks = requestedWebhooks(draft.webhooks)
  const stored = requestedWebhooks(draftsOf(settings.webhooks))
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

export function describeChange({ enabled, settings }: DestinationChange): string {
  if (enabled === false) return 'Saved. New events are no longer delivered.'
  if (enabled === true) return 'Saved. New events are delivered.'
  return settings === undefined ? 'Saved.' : 'Saved. The changes apply from the next attempt.'
}

export function isEmpty(change: DestinationChange): boolean {
  return Object.keys(change).length === 0
}
