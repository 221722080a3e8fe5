import type { Audience } from '@hookline/protocol'
import Type from 'typebox'
import { anyObject, orNull } from '../api/schema-parts.ts'
import { responseFields } from '../computations/computation-fields.ts'
import type { ComputationKind } from '../computations/computation-kind.ts'
import { computationSchemas } from '../computations/computation-schemas.ts'
import { requestedCondition } from './requested-condition.ts'

const condition = Type.Unsafe<unknown>({
  ...anyObject,
  description:
    'Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] in place of within, or "type": "page" and "name" in place of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}.',
})

const manual = Type.Literal(true, {
  description: 'In place of a condition: its members are a list, changed with PUT …/members.',
})

/** An audience as the API shows it. */
export const AudienceResponse = Type.Object(
  responseFields({
    condition: orNull(condition, 'Who belongs to it; null: its members are a list.'),
    manual: Type.Boolean({ description: 'true: its members are a list. condition is null then.' }),
  }),
  { $id: 'Audience' },
)

/** What is special about the routes of audiences. */
export const AUDIENCES: ComputationKind<Audience> = {
  kind: 'audience',
  idPrefix: 'aud',
  path: '/audiences',
  noun: 'audience',
  schemas: computationSchemas({
    tag: 'Audiences',
    operation: 'Audience',
    one: 'an audience',
    many: 'audiences',
    component: 'Audience',
    newFields: { condition: Type.Optional(condition), manual: Type.Optional(manual) },
    changedFields: { condition: Type.Optional(condition) },
    previewed: { condition },
  }),
  definingFields: ['condition'],
  define: requestedCondition,
}
