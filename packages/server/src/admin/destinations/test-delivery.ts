import {
  type DeletionNotice,
  type Destination,
  type Event,
  type EventType,
  formatTimestamp,
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
import { requireDestination } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import type { ChangeDeps } from '../audit.ts'
import { attemptFields, presentTimes } from '../deliveries/deliveries.ts'
import { Problem } from '../problems/problem.ts'
import { operations, unchangedEntry } from './destination.ts'
import { hostWarnings, type UrlChecks, WarningsResponse } from './url-warnings.ts'

const {
  id: _id,
  number: _number,
  url: urlField,
  replayId: _replayId,
  ...resultFields
} = attemptFields

const headersField = Type.Record(Type.String(), Type.String())

const TestedWebhookResponse = Type.Object({
  url: urlField,
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

const schema = {
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

interface TestDeliveryDeps
  extends Pick<UrlChecks, 'hostProblem'>, Pick<ChangeDeps, 'catalog' | 'audit' | 'clock'> {
  readonly testDeliveries: TestDeliveries
  readonly events: Pick<Events, 'find'>
  readonly lanes: Pick<WebhookLanes, 'closeBreakers'>
}

/** `/destinations/:id/test`: makes a test delivery and shows each request and its result. */
export function addTestDeliveryRoute(app: AdminApp, deps: TestDeliveryDeps): void {
  const { catalog, testDeliveries, audit, clock } = deps
  app.post('/destinations/:id/test', { schema }, async (request) => {
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
    await deps.lanes.closeBreakers(works.map(({ url }) => ({ destinationId: destination.id, url })))
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
  { events, catalog, clock }: TestDeliveryDeps,
): Promise<TestContent> {
  if ((type === undefined) === (eventId === undefined)) {
    const hint = 'Give one of the two: "type" for a sample, or "eventId" for an archived event.'
    const code = type === undefined ? 'required' : 'exclusive'
    throw refused(fault('/type', code, 'Neither or both of type and eventId are given.', hint))
  }
  if (type !== undefined) {
    const sample = sampleOf(type, formatTimestamp(clock.wall()))
    return { id: null, body: Buffer.from(webhookPayload(sample)) }
  }
  const event = await events.find(eventId!)
  const isForIt = event && destinationsOf(event, catalog.current).some((each) => each.id === id)
  if (isForIt) return event
  const hint = 'Give the id of an event of the source of this destination.'
  throw refused(fault('/eventId', 'unknown_event', 'The source has no such event.', hint))
}

function refused(found: ReturnType<typeof fault>): Problem {
  return new Problem('invalid_body', { faults: [found] })
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
