import {
  type Attempt,
  DELIVERY_CLASSES,
  type DeliveryClass,
  type DeliveryState,
  type DeliveryPart,
  formatTimestamp,
  type PartState,
} from '@hookline/protocol'
import Type from 'typebox'
import type { DeliveryHistory } from '../../backend/deliveries.ts'
import { listQuery, pageSchema, SHORT_PAGES } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import {
  EmptyBody,
  IdParams,
  nullable,
  operationsTagged,
  time,
  timeOrNull,
} from '../api/schema-parts.ts'
import { timeRangeQuery } from '../api/time-range.ts'
import { partWaiting, WAIT_REASONS, type WaitContext, type WaitReason } from './waiting.ts'

const STATES = [
  'pending',
  'delivered',
  'rejected',
  'expired',
  'held',
  'quarantined',
] as const satisfies readonly DeliveryState[]

const PART_STATES = [
  'pending',
  'held',
  'delivered',
  'rejected',
  'expired',
  'not_retried',
  'removed',
] as const satisfies readonly PartState[]

const CLASSES = Object.keys(DELIVERY_CLASSES) as DeliveryClass[]

const id = Type.String()
const outcome = Type.Enum(['delivered', 'retry', 'rejected'])
const state = Type.Enum([...STATES], { description: `One of ${STATES.join(', ')}.` })

/** The fields of an attempt as the API shows it. */
export const attemptFields = {
  id,
  number: Type.Integer({ description: 'The number of the attempt on this webhook, from 1.' }),
  url: Type.String(),
  startedAt: time,
  durationMs: Type.Number(),
  timing: Type.Object(
    {
      lookupMs: Type.Optional(Type.Number({ description: 'The DNS lookup.' })),
      connectMs: Type.Optional(Type.Number()),
      tlsMs: Type.Optional(Type.Number()),
      answerMs: Type.Optional(
        Type.Number({
          description: 'Sending the request, and waiting for the last response header.',
        }),
      ),
      transferMs: Type.Optional(
        Type.Number({
          description:
            'Reading the response body: to its end, or 64 KiB or 1 s of it. Not part of durationMs; absent below 1 ms.',
        }),
      ),
    },
    {
      description:
        'The duration of each phase. A phase that is absent was not needed or not reached.',
    },
  ),
  outcome,
  class: Type.String({
    description: 'delivered, or what went wrong; docs/reference/errors.md explains each class.',
  }),
  status: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String({ description: 'What went wrong, as text.' })),
  replayId: Type.Optional(Type.String({ description: 'The replay that the attempt belongs to.' })),
}

const AttemptResponse = Type.Object({
  ...attemptFields,
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Type.String({ description: 'The beginning of the response body.' })),
})

const WaitingResponse = Type.Object(
  {
    reason: Type.Enum(Object.keys(WAIT_REASONS) as WaitReason[]),
    since: time,
    nextAttemptAt: nullable(time),
    explanation: Type.String({ description: 'The reason as text.' }),
    remedy: nullable(
      Type.String({ description: 'What ends the wait; null if it ends by itself.' }),
    ),
  },
  {
    description:
      'Why the webhook does not have the event yet. nextAttemptAt is null when somebody must end the cause.',
  },
)

const WebhookResponse = Type.Object({
  url: Type.String(),
  state: Type.Enum([...PART_STATES], {
    description:
      'not_retried: an attempt failed, and another webhook has the event (success policy any). removed: the webhook was removed first.',
  }),
  outcome: nullable(outcome),
  firstDueAt: time,
  nextAttemptAt: nullable(time),
  waiting: nullable(WaitingResponse),
  last: nullable(
    Type.Object(attemptFields, { description: 'The last attempt; null before the first.' }),
  ),
})

/** A delivery as the API shows it. */
export const DeliveryResponse = Type.Object(
  {
    id: Type.String({ description: 'The webhook-id of every attempt.' }),
    eventId: id,
    destinationId: id,
    state,
    rounds: Type.Integer({
      description: 'The most attempts on one of its webhooks since the last replay or retry.',
    }),
    replayId: Type.Optional(
      Type.String({ description: 'The last replay that delivered it again.' }),
    ),
    quarantine: Type.Optional(
      Type.Object(
        { reason: Type.String(), at: time },
        { description: 'Why the delivery is in quarantine.' },
      ),
    ),
    firstDueAt: time,
    nextAttemptAt: nullable(time),
    webhooks: Type.Array(WebhookResponse),
    attempts: Type.Array(AttemptResponse),
  },
  { $id: 'Delivery' },
)

const operation = operationsTagged('Deliveries')
const filter = {
  destinationId: Type.Optional(
    Type.String({ description: 'Only deliveries to this destination.' }),
  ),
  state: Type.Optional(state),
  waiting: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true: only deliveries of which a webhook waits, also where another webhook has the event. false: only the others.',
    }),
  ),
  eventId: Type.Optional(Type.String({ description: 'Only deliveries of this event.' })),
  class: Type.Optional(
    Type.Enum(CLASSES, {
      description: `The class of the last attempt on a webhook, or why the delivery ended without one: ${CLASSES.join(', ')}.`,
    }),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of that attempt.' }),
  ),
  ...timeRangeQuery,
}

/** Requests and responses of the routes of deliveries. */
export const deliverySchemas = {
  list: {
    ...operation('listDeliveries', 'Lists deliveries, newest first'),
    description: `from and to refer to the time when the event was received. ${SHORT_PAGES}`,
    querystring: Type.Object({ ...listQuery, ...filter }, { additionalProperties: false }),
    response: responses(200, 'A page of deliveries.', pageSchema(componentSchema('Delivery'))),
  },
  get: {
    ...operation('getDelivery', 'Shows a delivery with its attempts'),
    params: IdParams,
    response: responses(200, 'The delivery.', componentSchema('Delivery')),
  },
  retry: {
    ...operation('retryDelivery', 'Retries a delivery now'),
    description:
      'Works in every state except held: resume the destination instead. The count of attempts and the retry window start again, and the next attempt on the webhook is made now, whatever its breaker and Retry-After say.',
    params: IdParams,
    body: EmptyBody,
    response: responses(200, 'The delivery, due now.', componentSchema('Delivery')),
  },
}

/** The delivery as the audit log shows it: without its attempts, which contain text of the receiver. */
export function auditedDelivery(delivery: DeliveryHistory): object {
  const { id: deliveryId, eventId, destinationId, state: current, rounds } = delivery
  return { id: deliveryId, eventId, destinationId, state: current, rounds }
}

/** The delivery as the API shows it. */
export function presentDelivery(delivery: DeliveryHistory, context: WaitContext): object {
  const { dueAt, firstDueAt, webhooks, attempts, quarantine, ...rest } = delivery
  // Right after a replay or a retry by hand it has no parts yet.
  const isUnsplit = delivery.state === 'pending' && webhooks.length === 0
  const nexts = webhooks.map((part) => partWaiting(part, context)?.nextAttemptAt ?? null)
  const next = (isUnsplit && dueAt !== null ? [dueAt + context.jumpMs] : nexts).filter(
    (at) => at !== null,
  )
  return {
    ...rest,
    firstDueAt: formatTimestamp(firstDueAt),
    nextAttemptAt: next.length === 0 ? null : formatTimestamp(Math.min(...next)),
    webhooks: webhooks.map((part) => presentPart(part, context)),
    attempts: attempts.map(presentAttempt),
    ...(quarantine && {
      quarantine: { ...quarantine, at: formatTimestamp(quarantine.at) },
    }),
  }
}

function presentPart(part: DeliveryPart, context: WaitContext): object {
  const { url, firstDueAt, last } = part
  const waiting = partWaiting(part, context)
  return {
    url,
    state: part.state,
    outcome: last?.outcome ?? null,
    firstDueAt: formatTimestamp(firstDueAt),
    nextAttemptAt: timeOrNull(waiting?.nextAttemptAt ?? null),
    waiting: waiting && {
      reason: waiting.reason,
      since: formatTimestamp(waiting.since),
      nextAttemptAt: timeOrNull(waiting.nextAttemptAt),
      explanation: WAIT_REASONS[waiting.reason].meaning,
      remedy: WAIT_REASONS[waiting.reason].remedy,
    },
    last: last ? presentAttempt(last) : null,
  }
}

function presentAttempt(attempt: Omit<Attempt, 'headers' | 'body'>): object {
  return { ...attempt, ...presentTimes(attempt) }
}

/** The start and the phases of an attempt. Without phases, all of its time was waiting for the response. */
export function presentTimes({
  startedAt,
  durationMs,
  timing = { answerMs: durationMs },
}: Pick<Attempt, 'startedAt' | 'durationMs' | 'timing'>): object {
  return { startedAt: formatTimestamp(startedAt), timing }
}
