import {
  type DeletionNotice,
  type Destination,
  type Event,
  type EventType,
  formatTimestamp,
  LIMITS,
  PAYLOAD_TYPES,
  type PayloadType,
  type TestDelivery,
  type TestedWebhook,
  webhookPayload,
} from '@hookline/protocol'
import Type from 'typebox'
import { destinationsOf } from '../../backend/catalog.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { lanesOf, requireDestination, requireMatch } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps, RecordRequest } from '../audit.ts'
import { attemptFields, presentTimes } from '../deliveries/deliveries.ts'
import { Problem } from '../problems/problem.ts'
import {
  changeDestination,
  oneDestination,
  operations,
  respondWithDestination,
  unchangedEntry,
} from './destinations.ts'
import { sharedSecretFaults } from './settings.ts'
import { hostWarnings, type UrlChecks, WarningsResponse } from './webhook-urls.ts'

const HOUR_MS = 60 * 60 * 1000
const MAX_HOURS = LIMITS.maxSecretOverlapMs / HOUR_MS

const { url: attemptUrl, id: _id, number: _n, replayId: _replayId, ...resultFields } = attemptFields

const headersField = Type.Record(Type.String(), Type.String())

const TestedWebhookResponse = Type.Object({
  url: attemptUrl,
  request: Type.Object({
    method: Type.Literal('POST'),
    headers: {
      ...headersField,
      description: 'As sent, but with the values of static headers hidden.',
    },
    body: Schema.text('The exact body of the request.'),
  }),
  signature: Type.Object({
    xSignature: Schema.nullable(Schema.text('null without a shared secret.')),
    webhookSignature: Schema.nullable(Schema.text('null without a shared secret.')),
  }),
  attempt: Schema.nullable(
    Type.Object({
      ...resultFields,
      retryAfterMs: Type.Optional(Schema.integer('How long the receiver asked to wait.')),
      headers: Type.Optional(headersField),
      body: Type.Optional(Schema.text('The beginning of the response body.')),
    }),
  ),
})

const action = { params: Schema.IdParams, body: Schema.EmptyBody, response: oneDestination(200) }

const schemas = {
  pause: {
    ...operations.editor('pauseDestination', 'Pauses a destination: its deliveries are held'),
    ...action,
    headers: Schema.IfMatchHeaders,
  },
  resume: {
    ...operations.editor('resumeDestination', 'Resumes a destination'),
    description:
      'Ends the pause of the destination and of each of its webhooks. Held deliveries become due at once, and their retry window starts again. The next attempt is made now, whatever breaker and Retry-After say.',
    ...action,
    headers: Schema.IfMatchHeaders,
  },
  closeBreaker: {
    ...operations.editor(
      'closeBreaker',
      'Closes the breakers of a destination: the next attempts are made now',
    ),
    description:
      'Closes the breaker of each webhook and ends the pauses that receivers asked for with Retry-After. What waits is delivered one by one at first, then faster.',
    ...action,
  },
  test: {
    ...operations.editor('testDestination', 'Makes a test delivery and shows its result'),
    showsUsers: true,
    description:
      'Sends a sample or an archived event to each webhook, even if the destination is disabled or paused. A test delivery is not recorded and not retried. An archived event has the webhook-id of its delivery; a sample has a new one.',
    params: Schema.IdParams,
    body: Type.Object(
      {
        type: Type.Optional(
          Schema.oneOf(PAYLOAD_TYPES, `A sample of this type: ${PAYLOAD_TYPES.join(', ')}.`),
        ),
        eventId: Type.Optional(Schema.text('The id of an event of its source.')),
        dryRun: Type.Optional(Schema.boolean('true: only shows the requests, and sends nothing.')),
      },
      Schema.strict,
    ),
    response: Schema.ok(
      'The requests and their results.',
      Type.Object({
        dryRun: Type.Boolean(),
        deliveryId: Schema.text('The webhook-id.'),
        webhooks: Type.Array(TestedWebhookResponse),
        warnings: Type.Optional(WarningsResponse),
      }),
    ),
  },
  rotateSecret: {
    ...operations.editor('rotateSecret', 'Replaces the shared secret, with an overlap'),
    description:
      'During the overlap, webhook-signature contains the signatures of both secrets, separated by a space. X-Signature contains only the signature of the new secret.',
    ...action,
    headers: Schema.IfMatchHeaders,
    body: Type.Object(
      {
        secret: Type.String({
          minLength: 1,
          maxLength: 1024,
          description: 'The new shared secret: a text of 1 to 1,024 characters.',
        }),
        overlapHours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_HOURS,
            description: `For how long requests are also signed with the old secret: 0 to ${MAX_HOURS} hours; 24 if absent.`,
          }),
        ),
      },
      Schema.strict,
    ),
  },
}

/** What a test delivery carries: an archived event, or a sample without an id. */
export interface TestContent {
  readonly id: string | null
  readonly body: Uint8Array
}

/** Makes test deliveries. */
export interface TestDeliveries {
  /** Sends the content to all webhooks of the destination. With `dryRun`, builds the requests only. */
  run(
    destination: Destination,
    content: TestContent,
    options: { readonly dryRun: boolean },
  ): Promise<TestDelivery>
}

interface ActionDeps extends ChangeDeps, Pick<UrlChecks, 'hostProblem'> {
  readonly lanes: Pick<WebhookLanes, 'order'>
  readonly testDeliveries: TestDeliveries
  readonly events: Pick<Events, 'find'>
}

/** What can be done with a destination besides changing its fields: pause, resume, close-breaker, test, rotate-secret. */
export function addDestinationActions(app: AdminApp, deps: ActionDeps): void {
  addPauses(app, deps)
  addCloseBreaker(app, deps)
  addTest(app, deps)
  addSecretRotation(app, deps)
}

/** A second request to pause or resume changes nothing. */
function addPauses(app: AdminApp, deps: ActionDeps): void {
  const { clock, lanes, wake } = deps

  app.post('/destinations/:id/pause', { schema: schemas.pause }, async (request, reply) => {
    const paused = { since: clock.wall(), reason: 'operator' } as const
    const isPaused = (destination: Destination): boolean => destination.paused !== null
    const changed = await changeUnless(isPaused, request, deps, (destination) => ({
      ...destination,
      paused: destination.paused ?? paused,
    }))
    return respondWithDestination(changed, reply)
  })

  app.post('/destinations/:id/resume', { schema: schemas.resume }, async (request, reply) => {
    const changed = await changeUnless(isRunning, request, deps, resumed)
    await lanes.order({ order: 'retryNow', webhooks: lanesOf(changed) })
    wake()
    return respondWithDestination(changed, reply)
  })
}

function addCloseBreaker(app: AdminApp, { catalog, audit, clock, lanes }: ActionDeps): void {
  app.post(
    '/destinations/:id/close-breaker',
    { schema: schemas.closeBreaker },
    async (request, reply) => {
      const destination = requireDestination(catalog, request.params.id)
      // Before the change: the backend cannot keep the breaker, which is in memory, and the entry together.
      await audit.append(unchangedEntry(request, destination, clock.wall()))
      await lanes.order({ order: 'closeBreakers', webhooks: lanesOf(destination) })
      return respondWithDestination(destination, reply)
    },
  )
}

/** A second request with the same secret changes nothing. */
function addSecretRotation(app: AdminApp, { catalog, audit, clock }: ActionDeps): void {
  app.post(
    '/destinations/:id/rotate-secret',
    { schema: schemas.rotateSecret },
    async (request, reply) => {
      const { secret, overlapHours = 24 } = request.body
      const faults = sharedSecretFaults(secret, '/secret')
      if (faults.length > 0) throw new Problem('invalid_body', { faults })
      const now = clock.wall()
      const current = requireDestination(catalog, request.params.id)
      if (current.settings.sharedSecret === secret) {
        // Whatever If-Match has: the request may be the repetition of one whose response was lost.
        await audit.append(unchangedEntry(request, current, now))
        return respondWithDestination(current, reply)
      }
      const changed = await changeDestination(request, catalog, now, (destination) =>
        rotated(destination, secret, now + overlapHours * HOUR_MS),
      )
      return respondWithDestination(changed, reply)
    },
  )
}

/** Changes a destination unless that `isDone`. Either way there is an audit entry. */
async function changeUnless(
  isDone: (destination: Destination) => boolean,
  request: RecordRequest,
  { catalog, audit, clock }: ActionDeps,
  change: (destination: Destination) => Destination,
): Promise<Destination> {
  const current = requireDestination(catalog, request.params.id)
  requireMatch(request.headers['if-match'], current.version)
  const now = clock.wall()
  if (!isDone(current)) return changeDestination(request, catalog, now, change)
  await audit.append(unchangedEntry(request, current, now))
  return current
}

function isRunning({ paused, settings }: Destination): boolean {
  return paused === null && settings.webhooks.every((webhook) => webhook.paused === undefined)
}

function resumed(destination: Destination): Destination {
  const { settings } = destination
  const webhooks = settings.webhooks.map(({ paused: _, ...webhook }) => webhook)
  return { ...destination, paused: null, settings: { ...settings, webhooks } }
}

function rotated(destination: Destination, secret: string, until: number): Destination {
  const { previousSecret: _, ...settings } = destination.settings
  const replaced = settings.sharedSecret
  const previous = replaced === null ? {} : { previousSecret: { secret: replaced, until } }
  return { ...destination, settings: { ...settings, sharedSecret: secret, ...previous } }
}

function addTest(app: AdminApp, deps: ActionDeps): void {
  const { catalog, testDeliveries, audit, clock } = deps
  app.post('/destinations/:id/test', { schema: schemas.test }, async (request) => {
    const { params, body } = request
    const destination = requireDestination(catalog, params.id)
    const { dryRun = false } = body
    const content = await requestedContent(body, destination, deps)
    if (!dryRun) {
      // Before the requests: the backend cannot keep them and the entry together.
      await audit.append(unchangedEntry(request, destination, clock.wall()))
    }
    const { deliveryId, webhooks } = await testDeliveries.run(destination, content, { dryRun })
    const works = webhooks.filter(({ result }) => result?.outcome === 'delivered')
    const working = works.map(({ url }) => ({ destinationId: destination.id, url }))
    await deps.lanes.order({ order: 'closeBreakers', webhooks: working })
    const warnings = await hostWarnings([destination], deps)
    return {
      dryRun,
      deliveryId,
      webhooks: webhooks.map(presentTestedWebhook),
      ...(warnings.length > 0 && { warnings }),
    }
  })
}

async function requestedContent(
  { type, eventId }: { readonly type?: PayloadType; readonly eventId?: string },
  { id }: Destination,
  { events, catalog, clock }: ActionDeps,
): Promise<TestContent> {
  if ((type === undefined) === (eventId === undefined)) {
    const hint = 'Give one of the two: "type" for a sample, or "eventId" for an archived event.'
    const code = type === undefined ? 'required' : 'exclusive'
    throw refused('/type', code, 'Neither or both of type and eventId are given.', hint)
  }
  if (type !== undefined) {
    const sample = sampleOf(type, formatTimestamp(clock.wall()))
    return { id: null, body: Buffer.from(webhookPayload(sample)) }
  }
  const event = await events.find(eventId!)
  const isForIt = event && destinationsOf(event, catalog.current).some((each) => each.id === id)
  if (isForIt) return event
  const hint = 'Give the id of an event of the source of this destination.'
  throw refused('/eventId', 'unknown_event', 'The source has no such event.', hint)
}

function refused(...of: Parameters<typeof fault>): Problem {
  return new Problem('invalid_body', { faults: [fault(...of)] })
}

function presentTestedWebhook({ url, headers, body, result }: TestedWebhook): object {
  const attempt = result && { ...result, ...presentTimes(result) }
  const signature = {
    xSignature: headers['X-Signature'] ?? null,
    webhookSignature: headers['webhook-signature'] ?? null,
  }
  return { url, request: { method: 'POST', headers, body }, signature, attempt }
}

const PAGE_URL = 'https://shop.example/pricing'

const FIELDS: Readonly<Record<EventType, Partial<Event>>> = {
  identify: { traits: { email: 'ada@shop.example', plan: 'team', logins: 5 } },
  track: { event: 'Order Completed', properties: { orderId: 'o-1', revenue: 39.95 } },
  page: {
    name: 'Pricing',
    properties: { path: '/pricing', referrer: '', title: 'Pricing', url: PAGE_URL },
  },
  screen: {
    name: 'Receipt',
    context: {
      device: { model: 'Sample', type: 'ios' },
      os: { name: 'iOS', version: '19.0' },
      app: { build: '1', name: 'Shop', version: '2.1' },
    },
  },
  group: { groupId: 'sample-group', traits: { name: 'Acme', employees: 42 } },
  alias: { previousId: 'sample-visitor' },
}

/** A sample of this type for the user `sample-user`. @param at the timestamp, as `formatTimestamp` returns it */
function sampleOf(type: PayloadType, at: string): Event | DeletionNotice {
  const stamped = { userId: 'sample-user', timestamp: at, receivedAt: at }
  if (type === 'delete') return { type, ...stamped }
  const call = { type, messageId: `sample-${type}`, anonymousId: 'sample-visitor', context: {} }
  return { ...call, ...stamped, ...FIELDS[type] }
}
