import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { deliverySchemas, presentDelivery } from './delivery-schema.ts'
import { Problem } from '../problems/problem.ts'

const HELD = 'The delivery is held: resume its destination with POST /destinations/:id/resume.'
const EVENT_REMOVED = 'Retention has removed its event.'

/** `/deliveries/:id/retry`: makes another round now. */
export function addRetryRoute(
  app: AdminApp,
  { deliveries, replays, clock, wake }: AdminDeps,
): void {
  app.post('/deliveries/:id/retry', { schema: deliverySchemas.retry }, async ({ params }) => {
    const isPending = await replays.retry(params.id, clock.now())
    const delivery = await deliveries.find(params.id)
    if (delivery === undefined) {
      throw new Problem('not_found', {
        detail: 'No delivery has this id, or retention has removed it.',
      })
    }
    if (!isPending) {
      const detail = delivery.state === 'held' ? HELD : EVENT_REMOVED
      throw new Problem('wrong_state', { detail })
    }
    wake()
    return presentDelivery(delivery)
  })
}
