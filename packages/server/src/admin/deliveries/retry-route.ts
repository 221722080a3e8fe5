import type { DeliveryHistory } from '../../backend/deliveries.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { lanesOf } from '../api/catalog-records.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { auditedDelivery, deliverySchemas, presentDelivery } from './delivery-schema.ts'
import { withResponse } from '../idempotency/kept-response.ts'
import { Problem } from '../problems/problem.ts'
import { requireDelivery } from './require-delivery.ts'
import { waitContext } from './waiting.ts'

const HELD = 'The delivery is held: resume its destination.'
const EVENT_REMOVED = 'Retention has removed its event.'

/** `/deliveries/:id/retry`: makes another attempt now. */
export function addRetryRoute(app: AdminApp, deps: AdminDeps): void {
  const { catalog, deliveries, lanes, replays, clock, wake } = deps
  // An attempt shows text of the receiver.
  const options = { schema: deliverySchemas.retry, config: { showsUsers: true as const } }
  app.post('/deliveries/:id/retry', options, async (request) => {
    const find = (): Promise<DeliveryHistory> => requireDelivery(deliveries, request.params.id)
    const before = await find()
    const after = { ...before, state: 'pending', rounds: 0 } as const
    const entry = recordEntry(request, clock.wall(), [before, after], auditedDelivery)
    // A delivery shows data of users: the response is kept without it.
    const made = { status: 200, headers: {}, body: {} } as const
    const isPending = await replays.retry(
      before.id,
      clock.now(),
      withResponse(entry, made, request),
    )
    const delivery = await find()
    if (!isPending) {
      const detail = delivery.state === 'held' ? HELD : EVENT_REMOVED
      throw new Problem('wrong_state', { detail })
    }
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination) await lanes.allowNow(lanesOf(destination))
    wake()
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })
}
