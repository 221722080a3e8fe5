import { EVENT_OUTCOMES, EVENT_TYPES, type Mark } from '@hookline/protocol'
import Type from 'typebox'
import { type CatalogSnapshot, destinationsOf } from '../../backend/catalog.ts'
import type { Subject, Suppressions } from '../../backend/deletions.ts'
import type { Deliveries, DeliveryHistory } from '../../backend/deliveries.ts'
import type { ArchivedEvent, Events, ListedEvent } from '../../backend/events.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List, parseTimeRange } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { DeliveryResponse, presentDelivery } from '../deliveries/deliveries.ts'
import { waitContexts, type WaitDeps } from '../deliveries/waiting.ts'
import { Problem } from '../problems/problem.ts'
import { presentSuppression, SuppressionResponse } from '../suppressions.ts'
import { TRACE_FINDINGS, traceDecisions, traceFindings } from './trace.ts'

const MARKS: Mark[] = ['precision_lost', 'characters_lost', 'timestamp_unreadable']

/** A list of the events of a user shows at most so many suppressions. */
export const MAX_SUPPRESSIONS = 100

const eventFields = {
  id: Type.String(),
  sourceId: Schema.text('For a computed event: the id of the audience or computed trait.'),
  event: { ...Schema.anyObject, description: 'The call as received, validated and stamped.' },
  receivedAt: Schema.time,
  marks: Type.Array(Type.Enum(MARKS), {
    description: 'What Hookline noticed about the call.',
  }),
  duplicates: Schema.integer(
    'The number of later calls with the same messageId. They were dropped.',
  ),
  lastDuplicateAt: Schema.nullable(
    Schema.timeOf(
      'When the last of them arrived. null if there is none, or if an earlier version of Hookline received it.',
    ),
  ),
}

const outcomesField = Type.Object(
  Object.fromEntries(
    EVENT_OUTCOMES.map((outcome) => [outcome, Type.Optional(Type.Integer({ minimum: 1 }))]),
  ),
  {
    description:
      'How many destinations have each outcome; those that none has are absent. retrying: an attempt failed, and another will be made. pending: no attempt was recorded, or none since the last replay or retry. failed: rejected, expired or quarantined, until a replay or a retry. declined: there is no delivery, for a reason. A destination is not counted while it is being decided on, or delivered to for the first time.',
  },
)

/** An event in a list. */
export const EventResponse = Type.Object(
  { ...eventFields, outcomes: outcomesField },
  { $id: 'Event' },
)

const DecisionResponse = Type.Object({
  destinationId: Type.String(),
  decision: Schema.oneOf(
    ['deliver', 'declined', 'pending', 'none'],
    'none: the destination did not exist yet.',
  ),
  reason: Schema.nullable(Schema.text('The code of the reason, if there is no delivery.')),
  since: Schema.nullable(
    Schema.timeOf('Since when the destination was off, if that is the reason. null if unknown.'),
  ),
  explanation: Schema.text('The decision, and what became of it, as text.'),
  remedy: Schema.nullable(Schema.text('What to do; null if there is nothing to do.')),
})

const TraceResponse = Type.Object({
  ...eventFields,
  source: Type.Object({
    id: Type.String(),
    name: Schema.nullable(Schema.text('null if it was removed.')),
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
  deliveries: Type.Array(Schema.ref(DeliveryResponse)),
})

const EventPage = Schema.page(Schema.ref(EventResponse), {
  suppressions: Type.Optional(
    Type.Array(Schema.ref(SuppressionResponse), {
      description: `With the query parameter userId or anonymousId: why later calls of this user are not in the list. At most ${MAX_SUPPRESSIONS}, newest first.`,
    }),
  ),
})

const { viewer } = Schema.operationsTagged('Events')
const filters = {
  sourceId: Type.Optional(Schema.text('Only events of this source.')),
  messageId: Type.Optional(Schema.text('Only events with this messageId.')),
  type: Type.Optional(Schema.oneOf(EVENT_TYPES, `One of ${EVENT_TYPES.join(', ')}.`)),
  userId: Type.Optional(Schema.text('Only events of this user.')),
  anonymousId: Type.Optional(Schema.text('Only events of this anonymous user.')),
  event: Type.Optional(Schema.text('Only track events with this name.')),
  outcome: Type.Optional(
    Schema.oneOf(
      EVENT_OUTCOMES,
      `Only events with this outcome at one destination at least: ${EVENT_OUTCOMES.join(', ')}.`,
    ),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only events that contain this text, upper and lower case alike.',
    }),
  ),
  ...Schema.timeRange,
}

const schemas = {
  list: {
    ...viewer('listEvents', 'Lists events, newest first'),
    isLongRead: true,
    description: Schema.SHORT_PAGES,
    querystring: Type.Object({ ...Schema.listQuery, ...filters }, Schema.strict),
    response: Schema.ok('A page of events.', EventPage),
  },
  get: {
    ...viewer('getEvent', 'Shows an event and its trace'),
    params: Schema.IdParams,
    response: Schema.ok(
      'The event, with the decision for each destination and the deliveries.',
      TraceResponse,
    ),
  },
}

interface EventDeps extends WaitDeps {
  readonly events: Pick<Events, 'list' | 'find'>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly suppressions: Pick<Suppressions, 'find'>
}

const list = new List<ListedEvent>('events', presentListedEvent)

/** `/events` and `/events/:id`: received events, and their traces. */
export function addEventRoutes(app: AdminApp, deps: EventDeps): void {
  const { events, suppressions } = deps

  app.get('/events', { schema: schemas.list }, async ({ query }) => {
    const { limit: _limit, cursor: _cursor, from: _from, to: _to, ...fields } = query
    const filter = { ...fields, ...parseTimeRange(query) }
    const page = await list.page(query, (wanted) => events.list(filter, wanted))
    const { userId, anonymousId } = query
    if (userId === undefined && anonymousId === undefined) return page
    // Calls that have both ids belong to the user.
    const user: Subject =
      userId === undefined ? { kind: 'anonymous', id: anonymousId! } : { kind: 'user', id: userId }
    const { data } = await suppressions.find(user, MAX_SUPPRESSIONS)
    return { ...page, suppressions: data.map(presentSuppression) }
  })

  app.get('/events/:id', { schema: schemas.get }, async ({ params }) => {
    const event = await events.find(params.id)
    if (event === undefined) {
      throw new Problem('not_found', {
        detail: 'No event has this id, or retention has removed it.',
      })
    }
    return traceOf(event, deps)
  })
}

async function traceOf(event: ArchivedEvent, deps: EventDeps): Promise<object> {
  const { catalog, deliveries } = deps
  const made = await allDeliveries(deliveries, event.id)
  const destinations = destinationsOf(event, catalog.current)
  const source = sourceOf(event, catalog.current)
  const contextOf = await waitContexts(made, deps)
  const traced = made.map((delivery) => ({ delivery, context: contextOf(delivery) }))
  return {
    ...presentEvent(event),
    source,
    findings: traceFindings(event, { source, destinations, deliveries: made }),
    decisions: traceDecisions(event, destinations, traced),
    deliveries: traced.map(({ delivery, context }) => presentDelivery(delivery, context)),
  }
}

/** The source of the event; for a computed event, the audience or computed trait. */
function sourceOf(
  { sourceId: id, origin }: ArchivedEvent,
  { sources, computations }: CatalogSnapshot,
): { readonly id: string; readonly name: string | null } {
  const { name = null } = (origin === undefined ? sources : computations).get(id) ?? {}
  return { id, name }
}

async function allDeliveries(
  deliveries: EventDeps['deliveries'],
  eventId: string,
): Promise<DeliveryHistory[]> {
  const found: DeliveryHistory[] = []
  let cursor: string | null | undefined
  do {
    const page = await deliveries.list({ eventId }, { limit: 200, ...(cursor && { cursor }) })
    found.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

function presentListedEvent({ outcomes, ...event }: ListedEvent): object {
  return { ...presentEvent(event), outcomes }
}

function presentEvent(archived: ArchivedEvent): object {
  const { sourceId, event, marks, duplicates } = archived
  return {
    id: archived.id,
    sourceId,
    event,
    marks,
    duplicates,
    receivedAt: event.receivedAt,
    lastDuplicateAt: Schema.timeOrNull(archived.lastDuplicateAt),
  }
}
