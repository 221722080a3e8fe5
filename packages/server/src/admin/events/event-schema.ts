import { EVENT_OUTCOMES, EVENT_TYPES, type Mark } from '@hookline/protocol'
import Type from 'typebox'
import type { ArchivedEvent, ListedEvent } from '../../backend/events.ts'
import { listQuery, pageSchema, SHORT_PAGES } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import { TRACE_FINDINGS } from './trace-reasons.ts'
import { timeRangeQuery } from '../api/time-range.ts'
import {
  anyObject,
  IdParams,
  nullable,
  operationsTagged,
  time,
  timeOrNull,
} from '../api/schema-parts.ts'

const MARKS = [
  'precision_lost',
  'characters_lost',
  'timestamp_unreadable',
] as const satisfies readonly Mark[]

/** A list of the events of a user shows at most so many suppressions. */
export const MAX_SUPPRESSIONS = 100

const id = Type.String()

const fields = {
  id,
  sourceId: Type.String({
    description: 'For a computed event: the id of the audience or computed trait.',
  }),
  event: { ...anyObject, description: 'The call as received, validated and stamped.' },
  receivedAt: time,
  marks: Type.Array(Type.Enum([...MARKS]), {
    description: 'What Hookline noticed about the call.',
  }),
  duplicates: Type.Integer({
    description: 'The number of later calls with the same messageId. They were dropped.',
  }),
  lastDuplicateAt: nullable({
    ...time,
    description:
      'When the last of them arrived. null if there is none, or if an earlier version of Hookline received it.',
  }),
}

const outcomes = Type.Object(
  Object.fromEntries(
    EVENT_OUTCOMES.map((outcome) => [outcome, Type.Optional(Type.Integer({ minimum: 1 }))]),
  ),
  {
    description:
      'How many destinations have each outcome; those that none has are absent. retrying: an attempt failed, and another will be made. pending: no attempt was recorded, or none since the last replay or retry. failed: rejected, expired or quarantined, until a replay or a retry. declined: there is no delivery, for a reason. A destination is not counted while it is being decided on, or delivered to for the first time.',
  },
)

/** An event in a list. */
export const EventResponse = Type.Object({ ...fields, outcomes }, { $id: 'Event' })

const DecisionResponse = Type.Object({
  destinationId: id,
  decision: Type.Enum(['deliver', 'declined', 'pending', 'none'], {
    description: 'none: the destination did not exist yet.',
  }),
  reason: nullable(
    Type.String({ description: 'The code of the reason, if there is no delivery.' }),
  ),
  since: nullable({
    ...time,
    description: 'Since when the destination was off, if that is the reason. null if unknown.',
  }),
  explanation: Type.String({ description: 'The decision, and what became of it, as text.' }),
  remedy: nullable(Type.String({ description: 'What to do; null if there is nothing to do.' })),
})

const TraceResponse = Type.Object({
  ...fields,
  source: Type.Object({
    id,
    name: nullable(Type.String({ description: 'null if it was removed.' })),
  }),
  findings: Type.Array(
    Type.Object({
      code: Type.Enum(Object.keys(TRACE_FINDINGS)),
      message: Type.String(),
      remedy: Type.String(),
    }),
    { description: 'What the event has, and not one of its destinations.' },
  ),
  decisions: Type.Array(DecisionResponse),
  deliveries: Type.Array(componentSchema('Delivery')),
})

const EventPage = pageSchema(componentSchema('Event'), {
  suppressions: Type.Optional(
    Type.Array(componentSchema('Suppression'), {
      description: `With the query parameter userId or anonymousId: why later calls of this user are not in the list. At most ${MAX_SUPPRESSIONS}, newest first.`,
    }),
  ),
})

const operation = operationsTagged('Events')
const filter = {
  sourceId: Type.Optional(Type.String({ description: 'Only events of this source.' })),
  messageId: Type.Optional(Type.String({ description: 'Only events with this messageId.' })),
  type: Type.Optional(
    Type.Enum([...EVENT_TYPES], { description: `One of ${EVENT_TYPES.join(', ')}.` }),
  ),
  userId: Type.Optional(Type.String({ description: 'Only events of this user.' })),
  anonymousId: Type.Optional(Type.String({ description: 'Only events of this anonymous user.' })),
  event: Type.Optional(Type.String({ description: 'Only track events with this name.' })),
  outcome: Type.Optional(
    Type.Enum([...EVENT_OUTCOMES], {
      description: `Only events with this outcome at one destination at least: ${EVENT_OUTCOMES.join(', ')}.`,
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only events that contain this text, upper and lower case alike.',
    }),
  ),
  ...timeRangeQuery,
}

/** Requests and responses of the routes of events. */
export const eventSchemas = {
  list: {
    ...operation('listEvents', 'Lists events, newest first'),
    description: SHORT_PAGES,
    querystring: Type.Object({ ...listQuery, ...filter }, { additionalProperties: false }),
    response: responses(200, 'A page of events.', EventPage),
  },
  get: {
    ...operation('getEvent', 'Shows an event and its trace'),
    params: IdParams,
    response: responses(
      200,
      'The event, with the decision for each destination and the deliveries.',
      TraceResponse,
    ),
  },
}

/** The event as the API shows it in a list. */
export function presentListedEvent({ outcomes: of, ...event }: ListedEvent): object {
  return { ...presentEvent(event), outcomes: of }
}

/** The event as the API shows it by itself. */
export function presentEvent(archived: ArchivedEvent): object {
  const { sourceId, event, marks, duplicates } = archived
  return {
    id: archived.id,
    sourceId,
    event,
    marks,
    duplicates,
    receivedAt: event.receivedAt,
    lastDuplicateAt: timeOrNull(archived.lastDuplicateAt),
  }
}
