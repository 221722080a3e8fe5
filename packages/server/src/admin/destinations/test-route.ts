import { type Destination, formatTimestamp } from '@hookline/protocol'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { destinationOf } from '../api/catalog-record.ts'
import { presentTimes } from '../deliveries/delivery-schema.ts'
import { DESTINATION_TEST_SCHEMA } from './test-schema.ts'
import type { Trial, TrialContent } from './destination-trials.ts'
import { Problem } from '../problems/problem.ts'
import { sampleOf } from './sample-events.ts'

type Given = { readonly type?: Parameters<typeof sampleOf>[0]; readonly eventId?: string }

/** `/destinations/:id/test`: what each webhook gets, and what it says to it. */
export function addDestinationTestRoute(app: AdminApp, deps: AdminDeps): void {
  const { catalog, trials } = deps
  app.post(
    '/destinations/:id/test',
    { schema: DESTINATION_TEST_SCHEMA },
    async ({ params, body }) => {
      const destination = destinationOf(catalog, params.id)
      const { dryRun = false } = body
      const carried = await carriedBy(body, destination, deps)
      const { deliveryId, webhooks } = await trials.run(destination, carried, { dryRun })
      return { dryRun, deliveryId, webhooks: webhooks.map(presentTrial) }
    },
  )
}

async function carriedBy(
  { type, eventId }: Given,
  { sourceId }: Destination,
  { events, clock }: AdminDeps,
): Promise<TrialContent> {
  if ((type === undefined) === (eventId === undefined)) {
    const hint = 'Give one of the two: "type" for a sample, or "eventId" for an event that is kept.'
    const code = type === undefined ? 'required' : 'exclusive'
    throw refused(fault('/type', code, 'What to send is not clear.', hint))
  }
  if (type !== undefined) return { id: null, event: sampleOf(type, formatTimestamp(clock.now())) }
  const event = await events.find(eventId!)
  if (event?.sourceId === sourceId) return event
  const hint = 'Give the id of an event of the source of this destination, from GET /events.'
  throw refused(fault('/eventId', 'unknown_event', 'The source has no such event.', hint))
}

function refused(found: ReturnType<typeof fault>): Problem {
  return new Problem('invalid_body', { faults: [found] })
}

function presentTrial({ url, headers, body, result }: Trial): object {
  const attempt = result && { ...result, ...presentTimes(result) }
  const signature = {
    xSignature: headers['X-Signature'] ?? null,
    webhookSignature: headers['webhook-signature'] ?? null,
  }
  return { url, request: { method: 'POST', headers, body }, signature, attempt }
}
