import {
  type Destination,
  formatTimestamp,
  type TestedWebhook,
  webhookPayload,
} from '@hookline/protocol'
import { destinationsOf } from '../../backend/catalog.ts'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps, TestContent } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { requireDestination } from '../api/catalog-records.ts'
import { presentDestination } from './destination-schema.ts'
import { presentTimes } from '../deliveries/delivery-schema.ts'
import { testDeliverySchema } from './test-delivery-schema.ts'
import { Problem } from '../problems/problem.ts'
import { hostWarnings } from './url-warnings.ts'
import { sampleOf } from './sample-events.ts'

type TestDeliveryRequest = {
  readonly type?: Parameters<typeof sampleOf>[0]
  readonly eventId?: string
}

/** `/destinations/:id/test`: makes a test delivery and shows each request and its result. */
export function addTestDeliveryRoute(app: AdminApp, deps: AdminDeps): void {
  const { catalog, testDeliveries, audit, clock } = deps
  const options = { schema: testDeliverySchema, config: { showsUsers: true as const } }
  app.post('/destinations/:id/test', options, async (request) => {
    const { params, body } = request
    const destination = requireDestination(catalog, params.id)
    const { dryRun = false } = body
    const content = await requestedContent(body, destination, deps)
    if (!dryRun) {
      // Before the requests: the backend cannot keep them and the entry together.
      const unchanged = [destination, destination] as const
      await audit.append(recordEntry(request, clock.wall(), unchanged, presentDestination))
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
  { type, eventId }: TestDeliveryRequest,
  { id }: Destination,
  { events, catalog, clock }: AdminDeps,
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
