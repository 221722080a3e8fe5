import {
  type Attempt,
  ATTEMPT_CLASSES,
  type AttemptClass,
  type DeliveryState,
  formatTimestamp,
  type WebhookProgress,
} from '@hookline/protocol'
import Type from 'typebox'
import type { DeliveryHistory } from '../../backend/deliveries.ts'
import { listQuery, pageSchema, SHORT_PAGES } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import { EmptyBody, IdParams, nullable, time, operationsTagged } from '../api/schema-parts.ts'
import { timeRangeQuery } from '../api/time-range.ts'

const STATES = [
  'pending',
  'delivered',
  'rejected',
  'expired',
  'held',
  'quarantined',
] as const satisfies readonly DeliveryState[]

const CLASSES = Object.keys(ATTEMPT_CLASSES) as AttemptClass[]

const id = Type.String()
const outcome = Type.Enum(['delivered', 'retry', 'rejected'])
const state = Type.Enum([...STATES], { description: `One of ${STATES.join(', ')}.` })

/** Fields of an attempt as the API shows it. */
export const attemptFields = {
  id,
  round: Type.Integer({ description: 'The round it belonged to, from 1.' }),
  number: Type.Integer({ description: 'Which attempt on this webhook it was, from 1.' }),
  url: Type.String(),
  startedAt: time,
  durationMs: Type.Number(),
  timing: Type.Object(
    {
      lookupMs: Type.Optional(Type.Number({ description: 'The name look-up.' })),
      connectMs: Type.Optional(Type.Number()),
      tlsMs: Type.Optional(Type.Number()),
      answerMs: Type.Optional(
        Type.Number({ description: 'Sending, and waiting for the last header of the answer.' }),
      ),
    },
    { description: 'Where the time went. What is absent was not needed, or not reached.' },
  ),
  outcome,
  class: Type.String({
    description: 'delivered, or what went wrong; docs/errors.md explains each.',
  }),
  status: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String({ description: 'What went wrong, in words.' })),
  replayId: Type.Optional(Type.String({ description: 'The replay it belonged to.' })),
}

const AttemptResponse = Type.Object({
  ...attemptFields,
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Type.String({ description: 'The beginning of the response body.' })),
})

const WebhookResponse = Type.Object({
  url: Type.String(),
  outcome,
  nextAttemptAt: nullable(time),
  last: Type.Object(attemptFields),
})

/** A delivery as the API shows it. */
export const DeliveryResponse = Type.Object(
  {
    id: Type.String({ description: 'The webhook-id of every attempt.' }),
    eventId: id,
    destinationId: id,
    state,
    rounds: Type.Integer({ description: 'Attempt rounds made, since the last replay or retry.' }),
    replayId: Type.Optional(Type.String({ description: 'The replay that asked for it again.' })),
    quarantine: Type.Optional(
      Type.Object({ reason: Type.String(), at: time }, { description: 'Why it is quarantined.' }),
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
  destinationId: Type.Optional(Type.String({ description: 'Only those to this destination.' })),
  state: Type.Optional(state),
  eventId: Type.Optional(Type.String({ description: 'Only those of this event.' })),
  class: Type.Optional(
    Type.Enum(CLASSES, { description: `What a webhook last came to: ${CLASSES.join(', ')}.` }),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status it answered with.' }),
  ),
  ...timeRangeQuery,
}

/** What the routes of deliveries take and answer. */
export const deliverySchemas = {
  list: {
    ...operation('listDeliveries', 'Lists deliveries, newest first'),
    description: `The time is that of the receipt of the event. ${SHORT_PAGES}`,
    querystring: Type.Object({ ...listQuery, ...filter }, { additionalProperties: false }),
    response: responses(200, 'A page of deliveries.', pageSchema(componentSchema('Delivery'))),
  },
  get: {
    ...operation('getDelivery', 'Shows a delivery with its attempts'),
    params: IdParams,
    response: responses(200, 'The delivery.', componentSchema('Delivery')),
  },
  retry: {
    ...operation('retryDelivery', 'Makes another round now'),
    description:
      'Whatever it came to, and while it waits: its rounds and its retry window begin anew. Only a held one has to be resumed.',
    params: IdParams,
    body: EmptyBody,
    response: responses(200, 'The delivery, due now.', componentSchema('Delivery')),
  },
}

/** The delivery as the API shows it. */
export function presentDelivery(delivery: DeliveryHistory): object {
  const { dueAt, firstDueAt, webhooks, attempts, quarantine, ...rest } = delivery
  return {
    ...rest,
    firstDueAt: formatTimestamp(firstDueAt),
    nextAttemptAt: dueAt === null ? null : formatTimestamp(dueAt),
    webhooks: webhooks.map(presentProgress),
    attempts: attempts.map(presentAttempt),
    ...(quarantine && {
      quarantine: { ...quarantine, at: formatTimestamp(quarantine.at) },
    }),
  }
}

function presentProgress({ dueAt, last, ...rest }: WebhookProgress): object {
  const nextAttemptAt = dueAt === undefined ? null : formatTimestamp(dueAt)
  return { ...rest, nextAttemptAt, last: presentAttempt(last) }
}

function presentAttempt(attempt: Omit<Attempt, 'headers' | 'body'>): object {
  return { ...attempt, ...presentTimes(attempt) }
}

/** When an attempt began, and where its time went: all of it into the answer, where no socket was opened. */
export function presentTimes({
  startedAt,
  durationMs,
  timing = { answerMs: durationMs },
}: Pick<Attempt, 'startedAt' | 'durationMs' | 'timing'>): object {
  return { startedAt: formatTimestamp(startedAt), timing }
}
