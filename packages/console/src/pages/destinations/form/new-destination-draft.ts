import type { api } from '../../../api/client.ts'
import { newWebhook, requestedWebhooks, type WebhooksDraft } from './webhook-drafts.ts'

export interface SecretDraft {
  readonly kind: 'new' | 'own' | 'none'
  readonly own: string
}

export interface DestinationDraft extends WebhooksDraft {
  readonly sourceId: string
  readonly name: string
  readonly target: 'inspector' | 'own'
  readonly secret: SecretDraft
  readonly enabled: boolean
}

export function emptyDraft(sourceId: string): DestinationDraft {
  return {
    sourceId,
    name: '',
    target: 'own',
    webhooks: [newWebhook()],
    secret: { kind: 'new', own: '' },
    policy: 'any',
    enabled: true,
  }
}

type Request = Parameters<typeof api.createDestination>[0]

export function requestOf(
  draft: DestinationDraft,
  sharedSecret: string | null,
  inspectorUrl: string,
): Request {
  const { sourceId, target, policy, enabled } = draft
  const isInspector = target === 'inspector'
  const webhooks = requestedWebhooks(isInspector ? [newWebhook(inspectorUrl)] : draft.webhooks)
  // The port distinguishes receivers on one machine.
  const host = URL.parse(webhooks[0]?.url ?? '')?.host
  return {
    sourceId,
    type: 'Webhooks',
    name: draft.name.trim() || (isInspector ? 'Inspector' : host || 'Webhooks'),
    enabled,
    settings: {
      webhooks,
      sharedSecret,
      ...(webhooks.length > 1 && { successPolicy: policy }),
    },
  }
}
