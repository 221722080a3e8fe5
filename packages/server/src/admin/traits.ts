import { type ComputedTrait, formatTimestamp, type JsonObject } from '@hookline/protocol'
import Type from 'typebox'
import { validateCompute } from '../audiences/conditions/validate-compute.ts'
import type { Member, Memberships } from '../backend/memberships.ts'
import { fault, faultsBelow } from '../util/fault.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import {
  type ComputationDeps,
  type ComputationKind,
  type Definition,
  type DefinitionScope,
  requireComputation,
  responseFields,
} from './computations/computation.ts'
import { addComputationRoutes } from './computations/computation-routes.ts'
import { addWorkRoutes } from './computations/work-routes.ts'

const computeField = Type.Unsafe<unknown>({
  ...Schema.anyObject,
  description:
    'How the value is made from events of the user: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn but count needs a property. In place of event: "type": "page" and its "name". In place of within: "between": [from, to].',
})

/** A computed trait as the API shows it. */
export const ComputedTraitResponse = Type.Object(responseFields({ compute: computeField }), {
  $id: 'ComputedTrait',
})

/** What is special about the routes of computed traits. */
const TRAITS: ComputationKind = {
  kind: 'trait',
  idPrefix: 'trt',
  path: '/traits',
  noun: 'computed trait',
  texts: {
    tag: 'Computed traits',
    operation: 'Trait',
    one: 'a computed trait',
    many: 'computed traits',
    component: ComputedTraitResponse,
    newFields: { compute: computeField },
    changedFields: { compute: Type.Optional(computeField) },
    previewed: { compute: computeField },
  },
  definingFields: ['compute'],
  define: requestedCompute,
}

const schema = {
  ...Schema.operationsTagged('Computed traits').viewer(
    'listTraitValues',
    'Lists the users who have a value',
  ),
  isLongRead: true,
  params: Schema.IdParams,
  querystring: Schema.ListQuery,
  response: Schema.pages(
    'A page of users with their values.',
    Type.Object({
      userId: Schema.nullable(Schema.text('null: no event has named a userId yet.')),
      value: Type.Unsafe({ description: 'Any JSON.' }),
      since: Schema.time,
    }),
  ),
}

const values = new List<Member>('values', ({ userId, value, since }) => ({
  userId,
  value,
  since: formatTimestamp(since),
}))

interface TraitDeps extends ComputationDeps {
  readonly memberships: Pick<Memberships, 'changes' | 'list'>
}

/** `/traits`: records, syncs, and values. */
export function addTraitRoutes(app: AdminApp, deps: TraitDeps): void {
  const { catalog, memberships } = deps
  addComputationRoutes(app, deps, TRAITS)
  addWorkRoutes(app, deps, TRAITS)
  app.get('/traits/:id/values', { schema }, ({ params, query }) => {
    const { id } = requireComputation(catalog, TRAITS, params.id)
    return values.page(query, (page) => memberships.list(id, page))
  })
}

type Defined = Pick<ComputedTrait, 'compute'>

/** How the trait in a body is computed. */
function requestedCompute(
  { compute: given }: JsonObject,
  { before }: Pick<DefinitionScope, 'before'>,
): Definition<Defined> {
  if (given === undefined && before?.kind === 'trait')
    return { definition: { compute: before.compute } }
  if (given === undefined) return { faults: [MISSING] }
  const valid = validateCompute(given)
  return 'faults' in valid
    ? { faults: faultsBelow('/compute', valid.faults) }
    : { definition: valid }
}

const MISSING = fault(
  '/compute',
  'required',
  'compute is missing.',
  'Say how the value is made, such as {"fn": "count", "event": "Order Completed"}.',
)
