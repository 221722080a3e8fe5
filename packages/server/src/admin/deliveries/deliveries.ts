import {
  type AcceptedEvent,
  type Attempt,
  type Delivery,
  DELIVERY_CLASSES,
  type DeliveryClass,
  type DeliveryPart,
  type DeliveryState,
  type Destination,
  formatTimestamp,
  type NextRequest,
  type PartState,
} from '@hookline/protocol'
import Type from 'typebox'
import type {
  Deliveries,
  DeliveryHistory,
  DeliveryReports,
  FailureGroup,
  WebhookLanes,
} from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import type { Replays } from '../../backend/replays.ts'
import { SIGNATURES_ROLE } from '../access/roles.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { lanesOf } from '../api/catalog-records.ts'
import { List, parseTimeRange } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { type Audited, type ChangeDeps, recordEntry } from '../audit.ts'
import { withResponse } from '../idempotency.ts'
import { Problem } from '../problems/problem.ts'
import {
  partWaiting,
  presentWaiting,
  waitContext,
  type WaitContext,
  waitContexts,
  type WaitDeps,
  WaitingResponse,
} from './waiting.ts'

const STATES: DeliveryState[] = [
  'pending',
  'delivered',
  'rejected',
  'expired',
  'held',
  'quarantined',
]

const PART_STATES: PartState[] = [
  'pending',
  'held',
  'delivered',
  'rejected',
  'expired',
  'not_retried',
  'removed',
]

const CLASSES = Object.keys(DELIVERY_CLASSES) as DeliveryClass[]

const outcome = Type.Enum(['delivered', 'retry', 'rejected'])
const state = Schema.oneOf(STATES, `One of ${STATES.join(', ')}.`)

/** The fields of an attempt as the API shows it. */
export const attemptFields = {
  id: Type.String(),
  number: Schema.integer('The number of the attempt on this webhook, from 1.'),
  url: Type.String(),
  startedAt: Schema.time,
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
  class: Schema.text(
    'delivered, or what went wrong; docs/reference/errors.md explains each class.',
  ),
  status: Type.Optional(Type.Integer()),
  error: Type.Optional(Schema.text('What went wrong, as text.')),
  replayId: Type.Optional(Schema.text('The replay that the attempt belongs to.')),
}

const AttemptResponse = Type.Object({
  ...attemptFields,
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Schema.text('The beginning of the response body.')),
})

const WebhookResponse = Type.Object({
  url: Type.String(),
  state: Schema.oneOf(
    PART_STATES,
    'not_retried: an attempt failed, and another webhook has the event (success policy any). removed: the webhook was removed first.',
  ),
  outcome: Schema.nullable(outcome),
  firstDueAt: Schema.time,
  nextAttemptAt: Schema.nullable(Schema.time),
  waiting: Schema.nullable(WaitingResponse),
  last: Schema.nullable(
    Type.Object(attemptFields, { description: 'The last attempt; null before the first.' }),
  ),
})

/** A delivery as the API shows it. */
export const DeliveryResponse = Type.Object(
  {
    id: Schema.text('The webhook-id of every attempt.'),
    eventId: Type.String(),
    destinationId: Type.String(),
    state,
    rounds: Schema.integer(
      'The most attempts on one of its webhooks since the last replay or retry.',
    ),
    replayId: Type.Optional(Schema.text('The last replay that delivered it again.')),
    quarantine: Type.Optional(
      Type.Object(
        { reason: Type.String(), at: Schema.time },
        { description: 'Why the delivery is in quarantine.' },
      ),
    ),
    firstDueAt: Schema.time,
    nextAttemptAt: Schema.nullable(Schema.time),
    webhooks: Type.Array(WebhookResponse),
    attempts: Type.Array(AttemptResponse),
  },
  { $id: 'Delivery' },
)

const FailureResponse = Type.Object({
  destinationId: Type.String(),
  class: Schema.text(
    'The class of the last attempt; not_attempted or quarantined if the delivery ended without one. docs/reference/errors.md explains each.',
  ),
  status: Schema.nullable(Schema.integer('null if there was no response.')),
  count: Schema.integer('The number of undelivered deliveries that failed in this way.'),
  firstSeenAt: Schema.timeOf('When the event of the oldest of these deliveries was received.'),
  lastSeenAt: Schema.timeOf(
    'When the last attempt was made, or the last of them came into quarantine. For not_attempted: when the last of them became due.',
  ),
  sampleDeliveryId: Schema.text(
    'The newest of these deliveries whose response is kept; the newest one where none is.',
  ),
  lastError: Schema.nullable(
    Schema.text(
      'What went wrong in its last attempt, or why it is in quarantine, as text; null if none was kept.',
    ),
  ),
  meaning: Schema.text('What the class means.'),
  remedy: Schema.text('What to do about it.'),
})

const RequestResponse = Type.Object({
  url: Type.String(),
  request: Type.Object({
    method: Type.Literal('POST'),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'In their order, with the values of static headers hidden.',
    }),
    body: Schema.text('The exact body.'),
  }),
  curl: Schema.text(
    'A command for sh. Fill in the values of static headers. Receivers take its signature for some minutes.',
  ),
})

const operations = Schema.operationsTagged('Deliveries')
const filters = {
  destinationId: Type.Optional(Schema.text('Only deliveries to this destination.')),
  state: Type.Optional(state),
  waiting: Type.Optional(
    Schema.oneOf(
      ['true', 'false'],
      'true: only deliveries of which a webhook waits, also where another webhook has the event. false: only the others.',
    ),
  ),
  eventId: Type.Optional(Schema.text('Only deliveries of this event.')),
  class: Type.Optional(
    Schema.oneOf(
      CLASSES,
      `The class of the last attempt on a webhook, or why the delivery ended without one: ${CLASSES.join(', ')}.`,
    ),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of that attempt.' }),
  ),
  ...Schema.timeRange,
}

const schemas = {
  failures: {
    ...operations.viewer(
      'listFailures',
      'Groups failed deliveries by destination, class and status',
    ),
    isLongRead: true,
    description:
      'Counts deliveries that are not delivered, by the last attempt on each webhook. A webhook whose retry window ended before its first attempt counts as not_attempted, and a delivery in quarantine as quarantined. The largest group comes first.',
    querystring: Type.Object(
      { destinationId: Type.Optional(Schema.text('Only failures of this destination.')) },
      Schema.strict,
    ),
    response: Schema.ok(
      'The groups.',
      Type.Object({
        data: Type.Array(FailureResponse),
        isComplete: Schema.boolean(
          'false if a destination has so many that only its newest 2,000 were counted.',
        ),
      }),
    ),
  },
  list: {
    ...operations.viewer('listDeliveries', 'Lists deliveries, newest first'),
    isLongRead: true,
    description: `from and to refer to the time when the event was received. ${Schema.SHORT_PAGES}`,
    querystring: Type.Object({ ...Schema.listQuery, ...filters }, Schema.strict),
    response: Schema.pages('A page of deliveries.', Schema.ref(DeliveryResponse)),
  },
  get: {
    ...operations.viewer('getDelivery', 'Shows a delivery with its attempts'),
    params: Schema.IdParams,
    response: Schema.ok('The delivery.', Schema.ref(DeliveryResponse)),
  },
  retry: {
    ...operations.editor('retryDelivery', 'Retries a delivery now'),
    // An attempt shows text of the receiver.
    showsUsers: true,
    description:
      'Works in every state except held: resume the destination instead. The count of attempts and the retry window start again, and the next attempt on the webhook is made now, whatever its breaker and Retry-After say.',
    params: Schema.IdParams,
    body: Schema.EmptyBody,
    response: Schema.ok('The delivery, due now.', Schema.ref(DeliveryResponse)),
  },
  requests: {
    ...operations[SIGNATURES_ROLE](
      'getDeliveryRequests',
      'Shows the requests of a delivery, as Hookline would send them now',
    ),
    description:
      'Sends nothing. Each request has a valid signature, so an editor is needed. Responds with 409 if its event or its destination was removed.',
    params: Schema.IdParams,
    response: Schema.ok(
      'One request for each webhook that the destination has now.',
      Type.Object({ deliveryId: Type.String(), webhooks: Type.Array(RequestResponse) }),
    ),
  },
}

interface DeliveryDeps extends WaitDeps, Pick<ChangeDeps, 'clock' | 'wake'> {
  readonly deliveries: Pick<Deliveries, 'list' | 'find'>
  readonly reports: Pick<DeliveryReports, 'failures'>
  readonly events: Pick<Events, 'find'>
  readonly replays: Pick<Audited<Replays, 'retry'>, 'retry'>
  readonly lanes: Pick<WebhookLanes, 'states' | 'attemptsOf' | 'order'>
  /** The requests that a delivery would make now, one to each webhook of its destination. */
  readonly nextRequests: (
    delivery: Delivery,
    event: Pick<AcceptedEvent, 'body'>,
    destination: Destination,
    now: number,
  ) => readonly NextRequest[]
}

const list = new List<object>('deliveries', (each) => each)

/** `/deliveries`: what became of each, grouped failures, the requests as they would be sent now, and retries. */
export function addDeliveryRoutes(app: AdminApp, deps: DeliveryDeps): void {
  addReading(app, deps)
  addRequests(app, deps)
  addRetry(app, deps)
}

function addReading(app: AdminApp, deps: DeliveryDeps): void {
  const { deliveries, reports } = deps

  app.get('/deliveries/failures', { schema: schemas.failures }, async ({ query }) => {
    const { groups, isComplete } = await reports.failures(query)
    return { data: groups.map(presentFailure), isComplete }
  })

  app.get('/deliveries', { schema: schemas.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, from: _from, to: _to, waiting, ...fields } = query
    const filter = {
      ...fields,
      ...(waiting !== undefined && { waiting: waiting === 'true' }),
      ...parseTimeRange(query),
    }
    return list.page(query, async (page) => {
      const { data, nextCursor } = await deliveries.list(filter, page)
      const contextOf = await waitContexts(data, deps)
      return { data: data.map((each) => presentDelivery(each, contextOf(each))), nextCursor }
    })
  })

  app.get('/deliveries/:id', { schema: schemas.get }, async ({ params }) => {
    const delivery = await requireDelivery(deliveries, params.id)
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })
}

const NO_DESTINATION = 'Its destination was removed, so Hookline would send nothing.'
const NO_EVENT = 'Its event was removed or is damaged, so its body is not known.'

/** What would be sent now, to send it by hand. */
function addRequests(app: AdminApp, deps: DeliveryDeps): void {
  const { catalog, deliveries, events, clock } = deps
  app.get('/deliveries/:id/requests', { schema: schemas.requests }, async ({ params }) => {
    const delivery = await requireDelivery(deliveries, params.id)
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination === undefined) throw new Problem('wrong_state', { detail: NO_DESTINATION })
    const event = await events.find(delivery.eventId)
    if (event === undefined) throw new Problem('wrong_state', { detail: NO_EVENT })
    const requests = deps.nextRequests(delivery, event, destination, clock.wall())
    const webhooks = requests.map(({ url, headers, body, curl }) => ({
      url,
      request: { method: 'POST', headers, body },
      curl,
    }))
    return { deliveryId: delivery.id, webhooks }
  })
}

const HELD = 'The delivery is held: resume its destination.'
const EVENT_REMOVED = 'Retention has removed its event.'

function addRetry(app: AdminApp, deps: DeliveryDeps): void {
  const { catalog, deliveries, lanes, replays, clock, wake } = deps
  app.post('/deliveries/:id/retry', { schema: schemas.retry }, async (request) => {
    const find = (): Promise<DeliveryHistory> => requireDelivery(deliveries, request.params.id)
    const before = await find()
    const after = { ...before, state: 'pending', rounds: 0 } as const
    const entry = recordEntry(request, clock.wall(), [before, after], auditedDelivery)
    // A delivery shows data of users: the response is kept without it.
    const made = { status: 200, headers: {}, body: {} } as const
    const kept = withResponse(entry, made, request)
    const isPending = await replays.retry(before.id, clock.now(), kept)
    const delivery = await find()
    if (!isPending) {
      const detail = delivery.state === 'held' ? HELD : EVENT_REMOVED
      throw new Problem('wrong_state', { detail })
    }
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination) await lanes.order({ order: 'allowNow', webhooks: lanesOf(destination) })
    wake()
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })
}

/** The delivery with this id. @throws {Problem} `not_found` */
async function requireDelivery(
  deliveries: Pick<Deliveries, 'find'>,
  id: string,
): Promise<DeliveryHistory> {
  const delivery = await deliveries.find(id)
  if (delivery !== undefined) return delivery
  const detail = 'No delivery has this id, or retention has removed it.'
  throw new Problem('not_found', { detail })
}

/** The delivery as the audit log shows it: without its attempts, which contain text of the receiver. */
function auditedDelivery(delivery: DeliveryHistory): object {
  const { id, eventId, destinationId, state: current, rounds } = delivery
  return { id, eventId, destinationId, state: current, rounds }
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
    ...(quarantine && { quarantine: { ...quarantine, at: formatTimestamp(quarantine.at) } }),
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
    nextAttemptAt: Schema.timeOrNull(waiting?.nextAttemptAt ?? null),
    waiting: waiting && presentWaiting(waiting),
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

function presentFailure(group: FailureGroup): object {
  const { meaning, help } = DELIVERY_CLASSES[group.class]
  return {
    ...group,
    firstSeenAt: formatTimestamp(group.firstSeenAt),
    lastSeenAt: formatTimestamp(group.lastSeenAt),
    meaning,
    remedy: help,
  }
}
