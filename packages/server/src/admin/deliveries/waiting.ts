import type { Delivery, DeliveryPart, Destination, Pause, WebhookState } from '@hookline/protocol'
import type { AdminDeps } from '../api/admin-deps.ts'

/** Why a part of a delivery waits, with the remedy as text. */
export const WAIT_REASONS = {
  in_line:
    'It is due. Its attempt is being made, or waits for its turn because more events arrive than the receiver takes.',
  retry: 'Its last attempt failed, and the next one is due later.',
  retry_after: 'The receiver asked for a pause with Retry-After.',
  breaker_open:
    'Too many attempts on the webhook failed, so its breaker is open. One attempt at a time checks whether the receiver works again; POST /destinations/:id/close-breaker makes the next attempt now.',
  webhook_paused: 'The webhook is paused. POST /destinations/:id/resume resumes it.',
  webhook_gone:
    'The receiver responded with 410 three times in a row, so the webhook is paused. POST /destinations/:id/resume resumes it.',
  url_forbidden:
    'The settings allowedNetworks and allowedPorts forbid its address or port, so the webhook is paused. Correct the URL and resume the destination with POST /destinations/:id/resume, or change the settings and restart Hookline.',
  destination_paused: 'The destination is paused. POST /destinations/:id/resume resumes it.',
  destination_disabled:
    'The destination is disabled. PATCH /destinations/:id with {"enabled": true} enables it.',
} as const

export type WaitReason = keyof typeof WAIT_REASONS

/** Why a part waits, since when, and when its next attempt is made. Times in milliseconds since the epoch. */
export interface PartWaiting {
  readonly reason: WaitReason
  readonly since: number
  /** `null`: when somebody ends the cause. */
  readonly nextAttemptAt: number | null
}

/** What decides why parts wait. */
export interface WaitContext {
  /** `undefined` when it was removed, or the delivery is in quarantine: then nothing waits for an attempt. */
  readonly destination: Destination | undefined
  readonly states: readonly WebhookState[]
  readonly now: number
}

/** The context of the deliveries of one destination. */
export function waitContext(
  { destinationId, state }: Pick<Delivery, 'destinationId' | 'state'>,
  { catalog, destinationHealth, clock }: Pick<AdminDeps, 'catalog' | 'destinationHealth' | 'clock'>,
): WaitContext {
  const found = catalog.current.destinations.get(destinationId)
  const destination = state === 'quarantined' ? undefined : found
  const states = destination ? destinationHealth.webhooks(destination) : []
  return { destination, states, now: clock.now() }
}

const PAUSED = {
  operator: 'webhook_paused',
  gone: 'webhook_gone',
  forbidden: 'url_forbidden',
} as const satisfies Record<Pause['reason'], WaitReason>

/** Why the part waits; `null` when it has ended, or its webhook was removed. Pure. */
export function partWaiting(
  part: DeliveryPart,
  { destination, states, now }: WaitContext,
): PartWaiting | null {
  const webhook = destination?.settings.webhooks.find(({ url }) => url === part.url)
  const isOpen = part.state === 'pending' || part.state === 'held'
  if (!isOpen || destination === undefined || webhook === undefined) return null
  const { paused, enabled, updatedAt, enabledChangedAt = updatedAt } = destination
  const untilSomebody = (reason: WaitReason, since: number): PartWaiting => ({
    reason,
    since,
    nextAttemptAt: null,
  })
  if (paused) return untilSomebody('destination_paused', paused.since)
  if (webhook.paused) {
    const { reason, since } = webhook.paused
    return untilSomebody(PAUSED[reason], since)
  }
  if (!enabled) return untilSomebody('destination_disabled', enabledChangedAt)
  return untilTime(
    part,
    states.find(({ url }) => url === part.url),
    now,
  )
}

function untilTime(part: DeliveryPart, state: WebhookState | undefined, now: number): PartWaiting {
  const dueAt = part.dueAt ?? now
  const { last } = part
  const since = last === undefined ? part.firstDueAt : last.startedAt + last.durationMs
  const next = (at: number | null): number => Math.max(dueAt, at ?? now, now)
  if (state?.retryAfterUntil != null && state.retryAfterUntil >= dueAt)
    return { reason: 'retry_after', since, nextAttemptAt: next(state.retryAfterUntil) }
  if (state?.brokenSince != null)
    return {
      reason: 'breaker_open',
      since: state.brokenSince,
      nextAttemptAt: next(state.restsUntil),
    }
  if (dueAt > now) return { reason: 'retry', since, nextAttemptAt: dueAt }
  return { reason: 'in_line', since: dueAt, nextAttemptAt: now }
}
