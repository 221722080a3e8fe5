import {
  type AcceptedEvent,
  type Attempt,
  ATTEMPT_OUTCOMES,
  type Delivery,
  DELIVERY_CLASSES,
  DELIVERY_STATES,
  type DeliveryClass,
  type DeliveryPart,
  type Destination,
  formatTimestamp,
  type NextRequest,
  PART_STATES,
  WEBHOOK_METHODS,
  remedyOf,
} from '@hookline/protocol'
import Type from 'typebox'
import { eventActivity } from '../../activity/activity.ts'
import {
  type Deliveries,
  type DeliveryHistory,
  type DeliveryReports,
  type FailureGroup,
  MAX_COUNTED_FAILURES,
  type WebhookLanes,
} from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import type { Replays } from '../../backend/replays.ts'
import { SIGNATURES_ROLE } from '../access/roles.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { lanesOf } from '../api/catalog-records.ts'
import { List, parseTimeRange } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { type AuditedPort, type ChangeDeps, recordEntry } from '../audit.ts'
import { withResponse } from '../idempotency.ts'
import { Problem, requireFound } from '../problems/problem.ts'
import {
  partWaiting,
  presentWaiting,
  waitContext,
  type WaitContext,
  waitContexts,
  type WaitDeps,
  WaitingResponse,
} from './waiting.ts'

const CLASSES = Object.keys(DELIVERY_CLASSES) as DeliveryClass[]

const outcome = Type.Enum([...ATTEMPT_OUTCOMES])
const state = Schema.oneOf(DELIVERY_STATES, `One of ${DELIVERY_STATES.join(', ')}.`)

export const attemptFields = {
  id: Type.String(),
  number: Schema.integer('The number of the attempt to this webhook, starting at 1.'),
  url: Type.String(),
  startedAt: Schema.time,
  durationMs: Type.Number(),
  timing: Type.Object(
    {
      lookupMs: Type.Optional(Schema.number('The DNS lookup.')),
      connectMs: Type.Optional(Type.Number()),
      tlsMs: Type.Optional(Type.Number()),
      responseMs: Type.Optional(Schema.number('From sending the request to the last header.')),
      transferMs: Type.Optional(
        Schema.number(
          'Reading the body, at most 64 KiB or 1 s. Not included in durationMs; absent below 1 ms.',
        ),
      ),
    },
    { description: 'The duration of each phase; absent if skipped or not reached.' },
  ),
  outcome,
  class: Schema.text('delivered, or the class of the error: see docs/reference/errors.md.'),
  status: Type.Optional(Type.Integer()),
  error: Type.Optional(Schema.text('The error as text.')),
  replayId: Type.Optional(Schema.text('The replay that the attempt belongs to.')),
}

const AttemptResponse = Type.Object({
  ...attemptFields,
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(
    Schema.text(
      'The beginning of the response body. For each webhook, Hookline stores one response per minute for successful attempts. For each class of failure, it stores the first 40 in each hour, then one per minute.',
    ),
  ),
})

const WebhookResponse = Type.Object({
  url: Type.String(),
  state: Schema.oneOf(
    PART_STATES,
    'not_retried: an attempt failed, and another webhook received the event (success policy any). removed: the webhook was deleted before delivery.',
  ),
  outcome: Schema.nullable(outcome),
  firstDueAt: Schema.time,
  nextAttemptAt: Schema.nullable(Schema.time),
  waiting: Schema.nullable(WaitingResponse),
  lastAttempt: Schema.nullable(
    Type.Object(attemptFields, { description: 'The last attempt; null before the first.' }),
  ),
})

export const DeliveryResponse = Type.Object(
  {
    id: Schema.text('The webhook-id of every attempt.'),
    eventId: Type.String(),
    event: Type.Optional(
      Type.Object(
        {
          type: Type.String(),
          name: Schema.nullable(Type.String()),
          userId: Schema.nullable(Type.String()),
          anonymousId: Schema.nullable(Type.String()),
        },
        { description: 'In lists: the event, each value up to 200 characters; absent if deleted.' },
      ),
    ),
    destinationId: Type.String(),
    state,
    attemptCount: Schema.integer(
      'The number of attempts since the last replay or manual retry; with several webhooks, the highest number among them.',
    ),
    replayId: Type.Optional(Schema.text('The last replay that delivered the event again.')),
    quarantine: Type.Optional(
      Type.Object(
        { reason: Type.String(), at: Schema.time },
        { description: 'Why the delivery is quarantined.' },
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
  class: Schema.text('The class of the last attempt, or not_attempted or quarantined.'),
  status: Schema.nullable(Schema.integer('null if there was no response.')),
  count: Schema.integer('Deliveries that failed in this way and have not succeeded since.'),
  isComplete: Schema.boolean(
    `false if there may be more, because only the newest ${MAX_COUNTED_FAILURES.toLocaleString('en')} failures at the destination were counted.`,
  ),
  firstSeenAt: Schema.timeOf('When the event of the oldest of these deliveries was received.'),
  lastSeenAt: Schema.timeOf(
    'When the newest of them was last attempted or quarantined, or became due.',
  ),
  sampleDeliveryId: Schema.text(
    'The newest of these deliveries with a stored response; the newest one if none has a response.',
  ),
  lastError: Schema.nullable(
    Schema.text('The last error of the sample delivery, or why it is quarantined.'),
  ),
  meaning: Schema.text('The meaning of the class.'),
  remedy: Schema.text('What to do about the failures.'),
})

export const WebhookRequest = Type.Object({
  method: Schema.oneOf(WEBHOOK_METHODS, 'The HTTP method.'),
  url: Schema.text('The URL of the webhook, with its placeholders filled in.'),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'In order, with the values of static headers hidden.',
  }),
  body: Schema.text('The exact body.'),
})

const RequestResponse = Type.Object({
  url: Type.String(),
  request: WebhookRequest,
  curl: Schema.text(
    'A command for sh, with placeholders for the values of static headers, Authorization and client certificates. The signature is valid for a few minutes.',
  ),
})

const operations = Schema.operationsTagged('Deliveries')
const filters = {
  destinationId: Type.Optional(Schema.text('Only deliveries to this destination.')),
  state: Type.Optional(state),
  waiting: Schema.flag(
    'true: only deliveries that are pending or held at a webhook. false: only the others.',
  ),
  eventId: Type.Optional(Schema.text('Only deliveries of this event.')),
  class: Type.Optional(
    Schema.oneOf(CLASSES, `The class of the last attempt to a webhook: ${CLASSES.join(', ')}.`),
  ),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of that attempt.' }),
  ),
  ...Schema.timeRange,
}

const schemas = {
  failures: {
    ...operations.viewer('listFailures', 'Groups failed deliveries by destination and error'),
    isLongRead: true,
    description:
      'Counts deliveries that have not succeeded, by the last attempt to each webhook. The largest group comes first. Deleted destinations are omitted, unless destinationId names one. not_attempted: the retry window ended before the first attempt.',
    querystring: Schema.strictObject({
      destinationId: Type.Optional(Schema.text('Only failures at this destination.')),
    }),
    response: Schema.ok(
      'The groups.',
      Type.Object({
        data: Type.Array(FailureResponse),
        isComplete: Schema.boolean(
          'false if only the newest 2,000 failures at a destination were counted.',
        ),
      }),
    ),
  },
  list: {
    ...operations.viewer('listDeliveries', 'Lists deliveries, newest first'),
    isLongRead: true,
    description: `from and to refer to the time when the event was received. ${Schema.SHORT_PAGES}`,
    querystring: Schema.strictObject({ ...Schema.listQuery, ...filters }),
    response: Schema.pages('A page of deliveries.', Schema.ref(DeliveryResponse)),
  },
  get: {
    ...operations.viewer('getDelivery', 'Shows a delivery with its attempts'),
    params: Schema.IdParams,
    response: Schema.ok('The delivery.', Schema.ref(DeliveryResponse)),
  },
  retry: {
    ...operations.editor('retryDelivery', 'Retries a delivery now'),
    // The receiver's response may contain user data.
    showsUsers: true,
    description:
      'A delivery cannot be retried if it is held (resume the destination instead) or if its destination was deleted. The attempt count and the retry window are reset, and the next attempt is made now, even if the breaker is open or Retry-After applies.',
    params: Schema.IdParams,
    body: Schema.EmptyBody,
    response: Schema.ok('The delivery, due now.', Schema.ref(DeliveryResponse)),
  },
  requests: {
    ...operations[SIGNATURES_ROLE]('getDeliveryRequests', 'Shows the next requests for a delivery'),
    description:
      'Sends nothing. Requires the editor role, because the requests have valid signatures. Responds with 409 if the event or the destination was deleted.',
    params: Schema.IdParams,
    response: Schema.ok(
      'One request for each current webhook.',
      Type.Object({ deliveryId: Type.String(), webhooks: Type.Array(RequestResponse) }),
    ),
  },
}

interface DeliveryDeps extends WaitDeps, Pick<ChangeDeps, 'clock' | 'wake'> {
  readonly deliveries: Pick<Deliveries, 'list' | 'find'>
  readonly reports: Pick<DeliveryReports, 'failures'>
  readonly events: Pick<Events, 'find' | 'findAll'>
  readonly replays: Pick<AuditedPort<Replays, 'retry'>, 'retry'>
  readonly lanes: Pick<WebhookLanes, 'states' | 'attemptsOf' | 'command'>
  /** The requests that a delivery would make now, one for each webhook. */
  readonly nextRequests: (
    delivery: Delivery,
    event: Pick<AcceptedEvent, 'body' | 'sourceId' | 'event'>,
    destination: Destination,
    now: number,
  ) => Promise<readonly NextRequest[]>
}

const list = new List<object>('deliveries', (each) => each)

const NO_DESTINATION = 'The destination was deleted.'
const NO_EVENT = 'The event was deleted or is corrupted.'

/** `/deliveries`: deliveries, grouped failures, the next requests, and retries. */
export function addDeliveryRoutes(app: AdminApp, deps: DeliveryDeps): void {
  const { deliveries, reports, catalog, events, clock } = deps

  app.get('/deliveries/failures', { schema: schemas.failures }, async ({ query }) => {
    const { destinations } = catalog.current
    const { groups, isComplete } = await reports.failures({
      ...query,
      isIncluded: (id) => destinations.has(id),
    })
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
      const eventOf = await events.findAll(data.map(({ eventId }) => eventId))
      const presented = data.map((each) => ({
        ...presentDelivery(each, contextOf(each)),
        ...presentEvent(eventOf.get(each.eventId)),
      }))
      return { data: presented, nextCursor }
    })
  })

  app.get('/deliveries/:id', { schema: schemas.get }, async ({ params }) => {
    const delivery = await requireDelivery(deps, params.id)
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })

  app.get('/deliveries/:id/requests', { schema: schemas.requests }, async ({ params }) => {
    const delivery = await requireDelivery(deps, params.id)
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination === undefined) throw new Problem('invalid_state', { detail: NO_DESTINATION })
    const event = await events.find(delivery.eventId)
    if (event === undefined) throw new Problem('invalid_state', { detail: NO_EVENT })
    const webhooks = await deps.nextRequests(delivery, event, destination, clock.wall())
    return { deliveryId: delivery.id, webhooks }
  })

  addRetry(app, deps)
}

const HELD = 'The delivery is held: resume its destination.'
const EVENT_REMOVED = 'Retention has removed the event.'

function addRetry(app: AdminApp, deps: DeliveryDeps): void {
  const { catalog, lanes, replays, clock, wake } = deps
  app.post('/deliveries/:id/retry', { schema: schemas.retry }, async (request) => {
    const before = await requireDelivery(deps, request.params.id)
    const destination = catalog.current.destinations.get(before.destinationId)
    if (destination === undefined) throw new Problem('invalid_state', { detail: NO_DESTINATION })
    const after = { ...before, state: 'pending', attemptCount: 0 } as const
    const entry = recordEntry(request, clock.wall(), [before, after], auditedDelivery)
    // The stored response must not contain user data.
    const response = { status: 200, headers: {}, body: {} } as const
    const audited = withResponse(entry, response, request)
    const isPending = await replays.retry(before.id, clock.now(), audited)
    const delivery = await requireDelivery(deps, request.params.id)
    if (!isPending) {
      const detail = delivery.state === 'held' ? HELD : EVENT_REMOVED
      throw new Problem('invalid_state', { detail })
    }
    await lanes.command({ command: 'allowNow', webhooks: lanesOf(destination) })
    wake()
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })
}

/** @throws {Problem} `not_found` */
async function requireDelivery({ deliveries }: Pick<DeliveryDeps, 'deliveries'>, id: string) {
  return requireFound(
    await deliveries.find(id),
    'No delivery has this id, or retention has removed it.',
  )
}

/** The delivery as the audit log shows it: without the receiver's responses. */
function auditedDelivery(delivery: DeliveryHistory): object {
  const { id, eventId, destinationId, state: current, attemptCount } = delivery
  return { id, eventId, destinationId, state: current, attemptCount }
}

export function presentDelivery(delivery: DeliveryHistory, context: WaitContext): object {
  const { dueAt, firstDueAt, webhooks, attempts, quarantine, ...rest } = delivery
  const nextAttempts = webhooks.flatMap((part) => partWaiting(part, context)?.nextAttemptAt ?? [])
  // Right after a replay or a retry, it has no parts yet.
  const isUnsplit = delivery.state === 'pending' && webhooks.length === 0
  if (isUnsplit && dueAt !== null) nextAttempts.push(dueAt + context.jumpMs)
  return {
    ...rest,
    firstDueAt: formatTimestamp(firstDueAt),
    nextAttemptAt: nextAttempts.length === 0 ? null : formatTimestamp(Math.min(...nextAttempts)),
    webhooks: webhooks.map((part) => presentPart(part, context)),
    attempts: attempts.map(presentAttempt),
    ...(quarantine && { quarantine: { ...quarantine, at: formatTimestamp(quarantine.at) } }),
  }
}

function presentEvent(event: AcceptedEvent | undefined): object {
  if (event === undefined) return {}
  const { type, name, userId, anonymousId } = eventActivity(event, 0)
  return { event: { type, name, userId, anonymousId } }
}

function presentPart(part: DeliveryPart, context: WaitContext): object {
  const { url, firstDueAt, lastAttempt } = part
  const waiting = partWaiting(part, context)
  return {
    url,
    state: part.state,
    outcome: lastAttempt?.outcome ?? null,
    firstDueAt: formatTimestamp(firstDueAt),
    nextAttemptAt: Schema.timeOrNull(waiting?.nextAttemptAt ?? null),
    waiting: waiting && presentWaiting(waiting),
    lastAttempt: lastAttempt ? presentAttempt(lastAttempt) : null,
  }
}

function presentAttempt(attempt: Omit<Attempt, 'headers' | 'body'>): object {
  return { ...attempt, ...presentTimes(attempt) }
}

/** The start and the phases of an attempt; without phases, its whole duration counts as `responseMs`. */
export function presentTimes({
  startedAt,
  durationMs,
  timing = { responseMs: durationMs },
}: Pick<Attempt, 'startedAt' | 'durationMs' | 'timing'>): object {
  return { startedAt: formatTimestamp(startedAt), timing }
}

function presentFailure(group: FailureGroup): object {
  const { meaning } = DELIVERY_CLASSES[group.class]
  return {
    ...group,
    firstSeenAt: formatTimestamp(group.firstSeenAt),
    lastSeenAt: formatTimestamp(group.lastSeenAt),
    meaning,
    remedy: remedyOf(group.class, group.status),
  }
}
