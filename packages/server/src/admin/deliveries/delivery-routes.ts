import type { DeliveryHistory } from '../../backend/deliveries.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { deliverySchemas, presentDelivery } from './delivery-schema.ts'
import { List } from '../api/list.ts'
import { requireDelivery } from './require-delivery.ts'
import { parseTimeRange } from '../api/time-range.ts'
import { waitContext } from './waiting.ts'

/** `/deliveries` and `/deliveries/:id`. */
export function addDeliveryRoutes(app: AdminApp, deps: AdminDeps): void {
  const { deliveries } = deps
  const present = (each: DeliveryHistory): object => presentDelivery(each, waitContext(each, deps))
  const list = new List<DeliveryHistory>('deliveries', present)

  app.get('/deliveries', { schema: deliverySchemas.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, from: _from, to: _to, waiting, ...fields } = query
    const filter = {
      ...fields,
      ...(waiting !== undefined && { waiting: waiting === 'true' }),
      ...parseTimeRange(query),
    }
    return list.page(query, (page) => deliveries.list(filter, page))
  })

  app.get('/deliveries/:id', { schema: deliverySchemas.get }, async ({ params }) => {
    return present(await requireDelivery(deliveries, params.id))
  })
}
