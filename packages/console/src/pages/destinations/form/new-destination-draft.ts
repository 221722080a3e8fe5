import type { api } from '../../../api/client.ts'
import { newSecret } from '../../../domain/new-secret.ts'
import type { SecretDraft } from './secret-choice.tsx'
import { newWebhook, requestedWebhooks, type WebhookDraft } from './webhook-drafts.ts'

/** A destination that is being written. */
export interface DestinationDraft {
  readonly sourceId: string
  readonly name: string
  readonly target: 'inspector' | 'own'
  readonly webhooks: readonly WebhookDraft[]
  readonly secret: SecretDraft
  readonly policy: 'any' | 'each'
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

/** The secret that a draft means: a new one is made here. */
export function secretOf({ kind, own }: SecretDraft): string | null {
  if (kind === 'none') return null
  return kind === 'own' ? own : newSecret()
}

/** What the service is asked for. Without a name, the destination is called by what its URL shows. */
export function requestOf(
  draft: DestinationDraft,
  sharedSecret: string | null,
  inspectorUrl: string,
): Request {
  const { sourceId, target, policy, enabled } = draft
  const isInspector = target === 'inspector'
  const webhooks = requestedWebhooks(isInspector ? [newWebhook(inspectorUrl)] : draft.webhooks)
  return {
    sourceId,
    type: 'Webhooks',
    name: draft.name.trim() || usualName(isInspector, webhooks[0]?.url ?? ''),
    enabled,
    settings: {
      webhooks,
      sharedSecret,
      ...(webhooks.length > 1 && { successPolicy: policy }),
    },
  }
}

function usualName(isInspector: boolean, url: string): string {
  if (isInspector) return 'Inspector'
  // With the port: on one machine, it is what tells receivers apart.
  return URL.canParse(url) ? new URL(url).host || 'Webhooks' : 'Webhooks'
}
