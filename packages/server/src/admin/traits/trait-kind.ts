import type { ComputedTrait } from '@hookline/protocol'
import Type from 'typebox'
import { anyObject } from '../api/schema-parts.ts'
import { responseFields } from '../computations/computation-fields.ts'
import type { ComputationKind } from '../computations/computation-kind.ts'
import { computationSchemas } from '../computations/computation-schemas.ts'
import { requestedCompute } from './requested-compute.ts'

const compute = Type.Unsafe<unknown>({
  ...anyObject,
  description:
    'How the value is made from events of the user: {"fn": "count|sum|avg|min|max|first|last|most_frequent|unique_list|unique_count", "event": "Order Completed", "property": "revenue", "within": {"days": 30}, "where": [{"property": …, "op": …, "value": …}]}. Every fn but count needs a property. In place of event: "type": "page" and its "name". In place of within: "between": [from, to].',
})

/** A computed trait as the API shows it. */
export const ComputedTraitResponse = Type.Object(responseFields({ compute }), {
  $id: 'ComputedTrait',
})

/** What is special about the routes of computed traits. */
export const TRAITS: ComputationKind<ComputedTrait> = {
  kind: 'trait',
  idPrefix: 'trt',
  path: '/traits',
  noun: 'computed trait',
  schemas: computationSchemas({
    tag: 'Computed traits',
    operation: 'Trait',
    one: 'a computed trait',
    many: 'computed traits',
    component: 'ComputedTrait',
    newFields: { compute },
    changedFields: { compute: Type.Optional(compute) },
    previewed: { compute },
  }),
  definingFields: ['compute'],
  define: requestedCompute,
}
