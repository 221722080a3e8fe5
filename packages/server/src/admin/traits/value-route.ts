import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { Member } from '../../backend/memberships.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, listQuery, pageSchema } from '../api/list.ts'
import { IdParams, nullable, operationsTagged, time } from '../api/schema-parts.ts'
import { requireComputation } from '../computations/require-computation.ts'
import { responses } from '../problems/responses.ts'
import { TRAITS } from './trait-kind.ts'

const schema = {
  ...operationsTagged('Computed traits')('listTraitValues', 'Lists the users who have a value'),
  params: IdParams,
  querystring: Type.Object(listQuery, { additionalProperties: false }),
  response: responses(
    200,
    'A page of users with their values.',
    pageSchema(
      Type.Object({
        userId: nullable(Type.String({ description: 'null: no event has named a userId yet.' })),
        value: Type.Unsafe({ description: 'Any JSON.' }),
        since: time,
      }),
    ),
  ),
}

const values = new List<Member>('values', ({ userId, value, since }) => ({
  userId,
  value,
  since: formatTimestamp(since),
}))

/** `/traits/:id/values`. */
export function addValueRoute(app: AdminApp, { catalog, memberships }: AdminDeps): void {
  app.get('/traits/:id/values', { schema }, ({ params, query }) => {
    const { id } = requireComputation(catalog, TRAITS, params.id)
    return values.page(query, (page) => memberships.list(id, page))
  })
}
