import type { NextRequest } from '@hookline/protocol'
import Type from 'typebox'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { IdParams } from '../api/schema-parts.ts'
import { Problem } from '../problems/problem.ts'
import { responses } from '../problems/responses.ts'
import { requireDelivery } from './require-delivery.ts'

const NO_DESTINATION = 'Its destination was removed, so Hookline would send nothing.'
const NO_EVENT = 'Its event was removed or is damaged, so its body is not known.'

const RequestResponse = Type.Object({
  url: Type.String(),
  request: Type.Object({
    method: Type.Literal('POST'),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'In their order, with the values of static headers hidden.',
    }),
    body: Type.String({ description: 'The exact body.' }),
  }),
  curl: Type.String({
    description:
      'A command for sh. Fill in the values of static headers. Receivers take its signature for some minutes.',
  }),
})

const requestSchema = {
  tags: ['Deliveries'],
  operationId: 'getDeliveryRequests',
  summary: 'Shows the requests of a delivery, as Hookline would send them now',
  description:
    'Sends nothing. Each request has a valid signature, so an editor is needed. Responds with 409 if its event or its destination was removed.',
  params: IdParams,
  response: responses(
    200,
    'One request for each webhook that the destination has now.',
    Type.Object({ deliveryId: Type.String(), webhooks: Type.Array(RequestResponse) }),
  ),
}

/** `/deliveries/:id/requests`: what would be sent now, to send it by hand. */
export function addRequestRoute(app: AdminApp, deps: AdminDeps): void {
  const { catalog, deliveries, events, clock } = deps
  app.get('/deliveries/:id/requests', { schema: requestSchema }, async ({ params }) => {
    const delivery = await requireDelivery(deliveries, params.id)
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination === undefined) throw new Problem('wrong_state', { detail: NO_DESTINATION })
    const event = await events.find(delivery.eventId)
    if (event === undefined) throw new Problem('wrong_state', { detail: NO_EVENT })
    const requests = deps.nextRequests(delivery, event, destination, clock.wall())
    return { deliveryId: delivery.id, webhooks: requests.map(presentRequest) }
  })
}

function presentRequest({ url, headers, body, curl }: NextRequest): object {
  return { url, request: { method: 'POST', headers, body }, curl }
}
