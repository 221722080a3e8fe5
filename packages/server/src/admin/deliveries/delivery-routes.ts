import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { deliverySchemas, presentDelivery } from './delivery-schema.ts'
import { List } from '../api/list.ts'
import { requireDelivery } from './require-delivery.ts'
import { parseTimeRange } from '../api/time-range.ts'
import { waitContext, waitContexts } from './waiting.ts'

const list = new List<object>('deliveries', (each) => each)

/** `/deliveries` and `/deliveries/:id`. */
export function addDeliveryRoutes(app: AdminApp, deps: AdminDeps): void {
  const { deliveries } = deps

  app.get('/deliveries', { schema: deliverySchemas.list }, ({ query }) => {
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

  app.get('/deliveries/:id', { schema: deliverySchemas.get }, async ({ params }) => {
    const delivery = await requireDelivery(deliveries, params.id)
    return presentDelivery(delivery, await waitContext(delivery, deps))
  })
}
