import {
  type Delivery,
  type DeliveryPart,
  type Destination,
  formatTimestamp,
  type Webhook,
  type WebhookState,
} from '@hookline/protocol'
import Type from 'typebox'
import type { Catalog } from '../../backend/catalog.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { type Clock, jumpOf } from '../../util/time/clock.ts'
import * as Schema from '../api/schema.ts'

const RESUME = 'Resume the destination.'
const CLOSE = "To make the next attempt now, close the destination's breaker."

/** Why a part of a delivery waits, and the remedy; `null` if none is needed. */
export const WAIT_REASONS = {
  in_flight: { meaning: 'An attempt is in progress.', remedy: null },
  queued: {
    meaning:
      'The delivery is due, but queued, because events are arriving faster than they can be delivered.',
    remedy: null,
  },
  retry: {
    meaning: 'The last attempt failed, and the next one is due later.',
    remedy: 'To make the next attempt now, retry the delivery.',
  },
  retry_after: {
    meaning: 'The receiver sent Retry-After, or the request for an access token failed.',
    remedy: CLOSE,
  },
  breaker_open: {
    meaning:
      'Too many attempts failed, so the breaker is open. Single attempts probe whether the receiver has recovered.',
    remedy: CLOSE,
  },
  webhook_paused: { meaning: 'The webhook is paused.', remedy: RESUME },
  webhook_gone: {
    meaning: 'The receiver responded with 410 three times in a row, so the webhook is paused.',
    remedy: 'Correct the URL, remove the webhook, or resume the destination.',
  },
  url_forbidden: {
    meaning:
      "The setting allowedNetworks does not allow the webhook's address, or allowedPorts does not allow its port.",
    remedy: 'Correct the URL, or change the settings and restart.',
  },
  disabled_by_receiver: {
    meaning: 'The receiver responded with webhook-delivery: disable, so the webhook is paused.',
    remedy: 'Ask the owner of the receiver. Then resume the destination, or remove the webhook.',
  },
  destination_paused: { meaning: 'The destination is paused.', remedy: RESUME },
  destination_disabled: {
    meaning: 'The destination is disabled.',
    remedy: 'Enable the destination.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string | null }>

export type WaitReason = keyof typeof WAIT_REASONS

/** Why a part is waiting, as the API returns it. */
export const WaitingResponse = Type.Object(
  {
    reason: Type.Enum(Object.keys(WAIT_REASONS) as WaitReason[]),
    since: Schema.time,
    nextAttemptAt: Schema.nullable(Schema.time),
    explanation: Schema.text('The reason as text.'),
    remedy: Schema.nullable(Schema.text('null if none is needed.')),
  },
  {
    description:
      'Why the webhook is waiting. nextAttemptAt is null while the webhook is paused, or the destination is paused or disabled.',
  },
)

/** Why a part is waiting. Times in milliseconds since the epoch. */
interface PartWaiting {
  readonly reason: WaitReason
  readonly since: number
  /** `null` if it needs a remedy first. */
  readonly nextAttemptAt: number | null
}

/** The state that decides why the parts of a delivery wait. All times are wall clock times. */
export interface WaitContext {
  /** `undefined` if it was removed or the delivery is in quarantine: then nothing waits. */
  readonly destination: Destination | undefined
  readonly states: readonly WebhookState[]
  /** The start of each attempt in progress, by URL. */
  readonly inFlight: ReadonlyMap<string, number>
  readonly now: number
  /** How far the wall clock is ahead of the clock used for due times. */
  readonly jumpMs: number
}

export interface WaitDeps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly lanes: Pick<WebhookLanes, 'states' | 'attemptsOf'>
  readonly clock: Clock
}

type WaitingDelivery = Pick<Delivery, 'id' | 'destinationId' | 'state'>

/**
 * Reads the states of all lanes at once. The returned function returns the context of a delivery.
 */
export async function waitContexts(
  deliveries: readonly WaitingDelivery[],
  { catalog, lanes, clock }: WaitDeps,
): Promise<(delivery: WaitingDelivery) => WaitContext> {
  const destinationIds = new Set(deliveries.map(({ destinationId }) => destinationId))
  const [states, attempts] = await Promise.all([
    lanes.states([...destinationIds]),
    lanes.attemptsOf(deliveries.map(({ id, destinationId }) => ({ id, destinationId }))),
  ])
  const jumpMs = jumpOf(clock)
  return ({ id, destinationId, state }) => {
    const current = catalog.current.destinations.get(destinationId)
    return {
      destination: state === 'quarantined' ? undefined : current,
      states: (states.get(destinationId) ?? []).map((each) => shownState(each, jumpMs)),
      inFlight: attempts.get(id) ?? new Map<string, number>(),
      now: clock.now() + jumpMs,
      jumpMs,
    }
  }
}

export async function waitContext(delivery: WaitingDelivery, deps: WaitDeps): Promise<WaitContext> {
  return (await waitContexts([delivery], deps))(delivery)
}

/** The state of a webhook with wall clock times. */
export function shownState(state: WebhookState, jumpMs: number): WebhookState {
  const shown = (at: number | null): number | null => (at === null ? null : at + jumpMs)
  return {
    ...state,
    brokenSince: shown(state.brokenSince),
    openUntil: shown(state.openUntil),
    retryAfterUntil: shown(state.retryAfterUntil),
  }
}

/** Why the part is waiting; `null` if it has ended or its webhook was removed. */
export function partWaiting(
  part: DeliveryPart,
  { destination, states, inFlight, now, jumpMs }: WaitContext,
): PartWaiting | null {
  const webhook = destination?.settings.webhooks.find(({ url }) => url === part.url)
  const isOpen = part.state === 'pending' || part.state === 'held'
  if (!isOpen || destination === undefined || webhook === undefined) return null
  // A pause does not stop a request in progress.
  const since = inFlight.get(part.url)
  if (since !== undefined) return { reason: 'in_flight', since, nextAttemptAt: now }
  const pause = pauseOf(destination, webhook)
  if (pause !== undefined) return { ...pause, nextAttemptAt: null }
  const state = states.find(({ url }) => url === part.url)
  const firstDueAt = part.firstDueAt + jumpMs
  const dueAt = part.dueAt === null ? now : part.dueAt + jumpMs
  return untilTime({ ...part, firstDueAt, dueAt }, state, now)
}

/** Why the webhook is paused or disabled; `undefined` if it is not. */
export function pauseReason(destination: Destination, url: string): WaitReason | undefined {
  const webhook = destination.settings.webhooks.find((each) => each.url === url)
  return webhook && pauseOf(destination, webhook)?.reason
}

function pauseOf(
  { paused, enabled, updatedAt, enabledChangedAt = updatedAt }: Destination,
  webhook: Webhook,
): Pick<PartWaiting, 'reason' | 'since'> | undefined {
  if (paused) return { reason: 'destination_paused', since: paused.since }
  if (webhook.paused) {
    const { reason, since } = webhook.paused
    return { reason: reason === 'operator' ? 'webhook_paused' : reason, since }
  }
  return enabled ? undefined : { reason: 'destination_disabled', since: enabledChangedAt }
}

function untilTime(
  { lastAttempt, firstDueAt, dueAt }: DeliveryPart & { readonly dueAt: number },
  state: WebhookState | undefined,
  now: number,
): PartWaiting {
  const since =
    lastAttempt === undefined ? firstDueAt : lastAttempt.startedAt + lastAttempt.durationMs
  const next = (at: number | null): number => Math.max(dueAt, at ?? now, now)
  if (state?.retryAfterUntil != null && state.retryAfterUntil >= dueAt)
    return { reason: 'retry_after', since, nextAttemptAt: next(state.retryAfterUntil) }
  if (state?.brokenSince != null)
    return {
      reason: 'breaker_open',
      since: state.brokenSince,
      nextAttemptAt: next(state.openUntil),
    }
  if (dueAt > now) return { reason: 'retry', since, nextAttemptAt: dueAt }
  return { reason: 'queued', since: dueAt, nextAttemptAt: now }
}

/** Why a part is waiting, as the API returns it. */
export function presentWaiting({ reason, since, nextAttemptAt }: PartWaiting): object {
  const { meaning: explanation, remedy } = WAIT_REASONS[reason]
  return {
    reason,
    since: formatTimestamp(since),
    nextAttemptAt: Schema.timeOrNull(nextAttemptAt),
    explanation,
    remedy,
  }
}
