import type { ComputedTrait, JsonObject } from '@hookline/protocol'
import Type from 'typebox'
import { validateCompute } from '../audiences/conditions/validate-compute.ts'
import type { Member, Memberships } from '../backend/memberships.ts'
import { fieldError, errorsBelow } from '../util/field-error.ts'
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
    'How the value is computed from the user\'s events: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn except count requires a property. Instead of event: "type": "page" and its "name". Instead of within: "between": [from, to].',
})

const ComputedTraitResponse = Type.Object(responseFields({ compute: computeField }), {
  $id: 'ComputedTrait',
})

const TRAITS: ComputationKind = {
  kind: 'trait',
  idPrefix: 'trt',
  path: '/traits',
  tag: 'Computed traits',
  operation: 'Trait',
  withArticle: 'a computed trait',
  many: 'computed traits',
  record: Schema.ref(ComputedTraitResponse),
  definition: 'compute',
  definitionField: computeField,
  newFields: { compute: computeField },
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
      userId: Schema.nullable(Schema.text('null until an event of the profile has a userId.')),
      value: Type.Unsafe({ description: 'Any JSON.' }),
      since: Schema.time,
    }),
  ),
}

const values = new List<Member>('values', ({ userId, value, since }) =>
  Schema.withTimes({ userId, value, since }, 'since'),
)

interface TraitDeps extends ComputationDeps {
  readonly memberships: Pick<Memberships, 'list'>
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

/** The computation in a body. */
function requestedCompute(
  { compute }: JsonObject,
  { before }: Pick<DefinitionScope, 'before'>,
): Definition<Pick<ComputedTrait, 'compute'>> {
  if (compute === undefined && before?.kind === 'trait')
    return { definition: { compute: before.compute } }
  if (compute === undefined) return { errors: [MISSING] }
  const valid = validateCompute(compute)
  return 'errors' in valid
    ? { errors: errorsBelow('/compute', valid.errors) }
    : { definition: valid }
}

const MISSING = fieldError(
  '/compute',
  'required',
  'compute is missing.',
  'Specify a computation, such as {"fn": "count", "event": "Order Completed"}.',
)
