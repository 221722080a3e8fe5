import {
  type Delivery,
  type DeliveryPart,
  type Destination,
  formatTimestamp,
  type Pause,
  type Webhook,
  type WebhookState,
} from '@hookline/protocol'
import Type from 'typebox'
import type { Catalog } from '../../backend/catalog.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { type Clock, jumpOf } from '../../util/time/clock.ts'
import * as Schema from '../api/schema.ts'

const RESUME = 'Resume the destination.'

/** Why a part of a delivery waits, and what ends the wait: `null` where it ends by itself. */
export const WAIT_REASONS = {
  in_flight: {
    meaning: 'Its attempt is being made: the request waits for the response of the receiver.',
    remedy: null,
  },
  in_line: {
    meaning:
      'It is due, and waits for its turn because more events arrive than the receiver takes.',
    remedy: null,
  },
  retry: {
    meaning: 'Its last attempt failed, and the next one is due later.',
    remedy: 'Retry the delivery to make it now.',
  },
  retry_after: {
    meaning: 'The receiver asked for a pause with Retry-After.',
    remedy: 'Close the breaker of the destination to make the next attempt now.',
  },
  breaker_open: {
    meaning:
      'Too many attempts on the webhook failed, so its breaker is open. One attempt at a time checks whether the receiver works again.',
    remedy: 'Close the breaker of the destination to make the next attempt now.',
  },
  webhook_paused: { meaning: 'The webhook is paused.', remedy: RESUME },
  webhook_gone: {
    meaning: 'The receiver responded with 410 three times in a row, so the webhook is paused.',
    remedy: RESUME,
  },
  url_forbidden: {
    meaning:
      'The settings allowedNetworks and allowedPorts forbid its address or port, so the webhook is paused.',
    remedy:
      'Correct the URL and resume the destination, or change the settings and restart Hookline.',
  },
  destination_paused: { meaning: 'The destination is paused.', remedy: RESUME },
  destination_disabled: {
    meaning: 'The destination is disabled.',
    remedy: 'Enable the destination.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string | null }>

export type WaitReason = keyof typeof WAIT_REASONS

/** Why a part waits, as the API shows it. */
export const WaitingResponse = Type.Object(
  {
    reason: Type.Enum(Object.keys(WAIT_REASONS) as WaitReason[]),
    since: Schema.time,
    nextAttemptAt: Schema.nullable(Schema.time),
    explanation: Schema.text('The reason as text.'),
    remedy: Schema.nullable(Schema.text('What ends the wait; null if it ends by itself.')),
  },
  {
    description:
      'Why the webhook does not have the event yet. nextAttemptAt is null when somebody must end the cause.',
  },
)

/** Why a part waits, since when, and when its next attempt is made. Times in milliseconds since the epoch. */
interface PartWaiting {
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
  /** When the attempts began that are being made of the delivery, by URL. */
  readonly inFlight: ReadonlyMap<string, number>
  /** What the clock of the machine shows, as all times of the context. */
  readonly now: number
  /** How far the clock of the machine is ahead of the times that parts are due. */
  readonly jumpMs: number
}

/** The dependencies of the contexts of waits. */
export interface WaitDeps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly lanes: Pick<WebhookLanes, 'states' | 'attemptsOf'>
  readonly clock: Clock
}

type WaitingDelivery = Pick<Delivery, 'id' | 'destinationId' | 'state'>

/** Asks the lanes about deliveries, all at once. Returns the function that returns the context of each of them. */
export async function waitContexts(
  deliveries: readonly WaitingDelivery[],
  { catalog, lanes, clock }: WaitDeps,
): Promise<(delivery: WaitingDelivery) => WaitContext> {
  const destinationIds = new Set(deliveries.map(({ destinationId }) => destinationId))
  const ids = deliveries.map(({ id, destinationId }) => ({ id, destinationId }))
  const [states, attempts] = await Promise.all([
    lanes.states([...destinationIds]),
    lanes.attemptsOf(ids),
  ])
  const jumpMs = jumpOf(clock)
  return ({ id, destinationId, state }) => {
    const found = catalog.current.destinations.get(destinationId)
    return {
      destination: state === 'quarantined' ? undefined : found,
      states: (states.get(destinationId) ?? []).map((each) => shownState(each, jumpMs)),
      inFlight: attempts.get(id) ?? new Map<string, number>(),
      now: clock.now() + jumpMs,
      jumpMs,
    }
  }
}

/** The context of one delivery. */
export async function waitContext(delivery: WaitingDelivery, deps: WaitDeps): Promise<WaitContext> {
  return (await waitContexts([delivery], deps))(delivery)
}

/** How a webhook stands, with times as the clock of the machine shows them. */
export function shownState(state: WebhookState, jumpMs: number): WebhookState {
  const shown = (at: number | null): number | null => (at === null ? null : at + jumpMs)
  return {
    ...state,
    brokenSince: shown(state.brokenSince),
    restsUntil: shown(state.restsUntil),
    retryAfterUntil: shown(state.retryAfterUntil),
  }
}

const PAUSED = {
  operator: 'webhook_paused',
  gone: 'webhook_gone',
  forbidden: 'url_forbidden',
} as const satisfies Record<Pause['reason'], WaitReason>

/** Why the part waits; `null` when it has ended, or its webhook was removed. Pure. */
export function partWaiting(
  part: DeliveryPart,
  { destination, states, inFlight, now, jumpMs }: WaitContext,
): PartWaiting | null {
  const webhook = destination?.settings.webhooks.find(({ url }) => url === part.url)
  const isOpen = part.state === 'pending' || part.state === 'held'
  if (!isOpen || destination === undefined || webhook === undefined) return null
  // Whatever is paused meanwhile does not stop the request.
  const since = inFlight.get(part.url)
  if (since !== undefined) return { reason: 'in_flight', since, nextAttemptAt: now }
  const pause = pauseOf(destination, webhook)
  if (pause !== undefined) return { ...pause, nextAttemptAt: null }
  const state = states.find(({ url }) => url === part.url)
  const firstDueAt = part.firstDueAt + jumpMs
  const dueAt = part.dueAt === null ? now : part.dueAt + jumpMs
  return untilTime({ ...part, firstDueAt, dueAt }, state, now)
}

/** Why the webhook gets nothing until somebody changes that; `undefined` when nothing pauses it. */
export function pauseReason(destination: Destination, url: string): WaitReason | undefined {
  const webhook = destination.settings.webhooks.find((each) => each.url === url)
  return webhook && pauseOf(destination, webhook)?.reason
}

function pauseOf(
  { paused, enabled, updatedAt, enabledChangedAt = updatedAt }: Destination,
  webhook: Webhook,
): Pick<PartWaiting, 'reason' | 'since'> | undefined {
  if (paused) return { reason: 'destination_paused', since: paused.since }
  if (webhook.paused) return { reason: PAUSED[webhook.paused.reason], since: webhook.paused.since }
  return enabled ? undefined : { reason: 'destination_disabled', since: enabledChangedAt }
}

function untilTime(
  { last, firstDueAt, dueAt }: DeliveryPart & { readonly dueAt: number },
  state: WebhookState | undefined,
  now: number,
): PartWaiting {
  const since = last === undefined ? firstDueAt : last.startedAt + last.durationMs
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

/** Why a part waits, as the API shows it. */
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
