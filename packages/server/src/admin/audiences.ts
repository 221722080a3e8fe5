import { type Audience, type Computation, type JsonObject, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { referenceErrors } from '../audiences/conditions/references.ts'
import { validateCondition } from '../audiences/conditions/validate-condition.ts'
import type { Member, Memberships } from '../backend/memberships.ts'
import { type FieldError, fieldError, errorsBelow, jsonPointer } from '../util/field-error.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type AuditedPort, auditEntry } from './audit.ts'
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
import { Problem } from './problems/problem.ts'

const conditionField = Type.Unsafe<unknown>({
  ...Schema.anyObject,
  description:
    'Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] instead of within, or "type": "page" and "name" instead of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}.',
})

const manualField = Type.Literal(true, {
  description:
    'true: instead of a condition, the audience has a list of members, which PUT /audiences/:id/members changes.',
})

const AudienceResponse = Type.Object(
  responseFields({
    condition: Schema.orNull(conditionField, 'null for a manual audience.'),
    manual: Schema.boolean('Whether the audience is a manual list of members.'),
  }),
  { $id: 'Audience' },
)

const AUDIENCES: ComputationKind = {
  kind: 'audience',
  idPrefix: 'aud',
  path: '/audiences',
  tag: 'Audiences',
  operation: 'Audience',
  withArticle: 'an audience',
  many: 'audiences',
  record: Schema.ref(AudienceResponse),
  definition: 'condition',
  definitionField: conditionField,
  newFields: { condition: Type.Optional(conditionField), manual: Type.Optional(manualField) },
  define: requestedCondition,
}

const { viewer, editor } = Schema.operationsTagged('Audiences')
const { usersPerListChange } = LIMITS

const userIdsField = (field: typeof Schema.userId, description: string) =>
  Type.Optional(Type.Array(Type.String({ ...field, maxLength: 1024 }), { description }))

const schemas = {
  list: {
    ...viewer('listMembers', 'Lists the members of an audience'),
    isLongRead: true,
    params: Schema.IdParams,
    querystring: Schema.ListQuery,
    response: Schema.pages(
      'A page of members.',
      Type.Object({
        userId: Schema.nullable(Schema.text('null until an event of the profile has a userId.')),
        since: Schema.time,
      }),
    ),
  },
  change: {
    ...editor('changeMembers', 'Adds users to and removes users from a manual audience'),
    description: `At most ${usersPerListChange.toLocaleString('en-US')} users per request. Adding a listed user or removing an unlisted one does nothing. Changes are sent within seconds.`,
    params: Schema.IdParams,
    body: Type.Object(
      {
        add: userIdsField(Schema.newUserId, '1 to 1,024 characters each, no control characters.'),
        remove: userIdsField(Schema.userId, '1 to 1,024 characters each.'),
      },
      Schema.strict,
    ),
    response: Schema.ok(
      'The numbers of different users in add and in remove, including users that needed no change.',
      Type.Object({ added: Type.Integer(), removed: Type.Integer() }),
    ),
  },
  listed: {
    ...viewer('listListedUsers', 'Lists the users in a manual audience'),
    isLongRead: true,
    description:
      'The userIds in the list, in order. GET /audiences/:id/members lists linked users as one member.',
    params: Schema.IdParams,
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of users.', Type.Object({ userId: Type.String() })),
  },
}

const members = new List<Member>('members', ({ userId, since }) =>
  Schema.withTimes({ userId, since }, 'since'),
)

const listed = new List<{ readonly userId: string }>('listed', (user) => user)

interface AudienceDeps extends ComputationDeps {
  readonly memberships: AuditedPort<Memberships, 'changeList'>
}

/** `/audiences`: records, syncs, and members. */
export function addAudienceRoutes(app: AdminApp, deps: AudienceDeps): void {
  addComputationRoutes(app, deps, AUDIENCES)
  addWorkRoutes(app, deps, AUDIENCES)
  addMembers(app, deps)
}

function addMembers(app: AdminApp, { catalog, clock, memberships, wake }: AudienceDeps): void {
  app.get('/audiences/:id/members', { schema: schemas.list }, ({ params, query }) => {
    const { id } = requireComputation(catalog, AUDIENCES, params.id)
    return members.page(query, (page) => memberships.list(id, page))
  })

  app.get('/audiences/:id/list', { schema: schemas.listed }, ({ params, query }) => {
    const { id } = requireManual(catalog, params.id)
    return listed.page(query, (page) => memberships.listed(id, page))
  })

  app.put('/audiences/:id/members', { schema: schemas.change }, async (request) => {
    const { id, space } = requireManual(catalog, request.params.id)
    const add = [...new Set(request.body.add)]
    const remove = [...new Set(request.body.remove)]
    const errors = changeErrors(add, remove)
    if (errors.length > 0) throw new Problem('invalid_body', { errors })
    const counts = { added: add.length, removed: remove.length }
    // Without the userIds: the entry survives a deletion of the users.
    const at = clock.wall()
    const entry = auditEntry(request, at, { targetId: id, before: null, after: counts })
    await memberships.changeList({ audienceId: id, space }, { add, remove, at }, entry)
    wake()
    return counts
  })
}

function requireManual(catalog: AudienceDeps['catalog'], id: string): Computation {
  const audience = requireComputation(catalog, AUDIENCES, id)
  if (audience.kind === 'audience' && audience.condition === null) return audience
  const detail = 'This audience has a condition. Create an audience with manual: true for a list.'
  throw new Problem('invalid_state', { detail })
}

function changeErrors(add: readonly string[], remove: readonly string[]): readonly FieldError[] {
  if (add.length + remove.length > usersPerListChange) {
    const message = `add and remove contain ${add.length + remove.length} users.`
    return [
      fieldError('', 'too_many', message, `Send at most ${usersPerListChange} in one request.`),
    ]
  }
  const removed = new Set(remove)
  const hint = 'Keep the user in only one of them.'
  return add.flatMap((id, index) =>
    removed.has(id)
      ? fieldError(jsonPointer('add', index), 'not_unique', 'The user is also in remove.', hint)
      : [],
  )
}

type AudienceDefinition = Pick<Audience, 'condition'>

/** The condition in a body; `null` for a manual audience. */
function requestedCondition(
  body: JsonObject,
  scope: DefinitionScope,
): Definition<AudienceDefinition> {
  const { before } = scope
  const current = before?.kind === 'audience' ? before.condition : undefined
  const { condition } = body
  if (condition === undefined && current !== undefined)
    return { definition: { condition: current } }
  const isManual = current === null || (current === undefined && body['manual'] === true)
  if (isManual && condition !== undefined) return { errors: [EXCLUSIVE] }
  if (isManual) return { definition: { condition: null } }
  return condition === undefined ? { errors: [MISSING] } : checkedCondition(condition, body, scope)
}

function checkedCondition(
  condition: unknown,
  { name }: JsonObject,
  { before, space, current }: DefinitionScope,
): Definition<AudienceDefinition> {
  const valid = validateCondition(condition)
  if ('errors' in valid) return { errors: errorsBelow('/condition', valid.errors) }
  const shownName = typeof name === 'string' ? name : (before?.name ?? '')
  const referring = { id: before?.id ?? null, name: shownName, space, ...valid }
  const errors = referenceErrors(referring, current.computations)
  return errors.length > 0 ? { errors: errorsBelow('/condition', errors) } : { definition: valid }
}

const MISSING = fieldError(
  '/condition',
  'required',
  'condition is missing.',
  'Specify a condition, such as {"trait": "plan", "op": "equals", "value": "pro"}; or manual: true.',
)

const EXCLUSIVE = fieldError(
  '/condition',
  'exclusive',
  'A manual audience cannot have a condition.',
  'Omit the condition, or create a new audience with it.',
)
