import {
  type Audience,
  type Computation,
  formatTimestamp,
  type JsonObject,
  LIMITS,
} from '@hookline/protocol'
import Type from 'typebox'
import { referenceFaults } from '../audiences/conditions/references.ts'
import { validateCondition } from '../audiences/conditions/validate-condition.ts'
import type { Member, Memberships } from '../backend/memberships.ts'
import { type Fault, fault, faultsBelow, jsonPointer } from '../util/fault.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type Audited, auditEntry } from './audit.ts'
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
    'Who belongs to the audience: {"and": […]}, {"or": […]}, {"not": …}, or a clause. Clauses: {"trait": "plan", "op": "equals", "value": "pro"}; {"event": "Order Completed", "count": {"op": ">=", "n": 2}, "within": {"days": 30}, "where": [{"property": "revenue", "op": ">", "value": 50}]}, with "between": [from, to] in place of within, or "type": "page" and "name" in place of event; {"computedTrait": "orders_30d", "op": ">", "value": 3}; {"audience": "aud_…"}.',
})

const manualField = Type.Literal(true, {
  description: 'In place of a condition: its members are a list, changed with PUT …/members.',
})

/** An audience as the API shows it. */
export const AudienceResponse = Type.Object(
  responseFields({
    condition: Schema.orNull(conditionField, 'Who belongs to it; null: its members are a list.'),
    manual: Schema.boolean('true: its members are a list. condition is null then.'),
  }),
  { $id: 'Audience' },
)

/** What is special about the routes of audiences. */
const AUDIENCES: ComputationKind = {
  kind: 'audience',
  idPrefix: 'aud',
  path: '/audiences',
  noun: 'audience',
  texts: {
    tag: 'Audiences',
    operation: 'Audience',
    one: 'an audience',
    many: 'audiences',
    component: AudienceResponse,
    newFields: { condition: Type.Optional(conditionField), manual: Type.Optional(manualField) },
    changedFields: { condition: Type.Optional(conditionField) },
    previewed: { condition: conditionField },
  },
  definingFields: ['condition'],
  define: requestedCondition,
}

const { viewer, editor } = Schema.operationsTagged('Audiences')
const { usersPerListChange } = LIMITS

const userIdsField = (field: typeof Schema.userId, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ ...field, maxLength: 1024 }), {
      description,
    }),
  )

const schemas = {
  list: {
    ...viewer('listMembers', 'Lists the members of an audience'),
    isLongRead: true,
    params: Schema.IdParams,
    querystring: Schema.ListQuery,
    response: Schema.pages(
      'A page of members.',
      Type.Object({
        userId: Schema.nullable(Schema.text('null: no event has named a userId yet.')),
        since: Schema.time,
      }),
    ),
  },
  change: {
    ...editor('changeMembers', 'Adds users to a manual audience, and removes others'),
    description: `At most ${usersPerListChange.toLocaleString('en-US')} users in one request. Users who are already on the list, or not on it, stay as they are. The destinations are told within seconds.`,
    params: Schema.IdParams,
    body: Type.Object(
      {
        add: userIdsField(
          Schema.newUserId,
          'The ids of users to add: texts of 1 to 1,024 characters, without control characters.',
        ),
        remove: userIdsField(
          Schema.userId,
          'The ids of users to remove: texts of 1 to 1,024 characters.',
        ),
      },
      Schema.strict,
    ),
    response: Schema.ok(
      'How many users were to be added and removed.',
      Type.Object({ added: Type.Integer(), removed: Type.Integer() }),
    ),
  },
  listed: {
    ...viewer('listListedUsers', 'Lists the users on the list of a manual audience'),
    isLongRead: true,
    description:
      'The list as it was given, by userId. GET /audiences/:id/members shows one entry for users who turned out to be the same person.',
    params: Schema.IdParams,
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of users.', Type.Object({ userId: Type.String() })),
  },
}

const members = new List<Member>('members', ({ userId, since }) => ({
  userId,
  since: formatTimestamp(since),
}))

interface AudienceDeps extends ComputationDeps {
  readonly memberships: Audited<Memberships, 'changeList'>
}

/** `/audiences`: records, syncs, and members. */
export function addAudienceRoutes(app: AdminApp, deps: AudienceDeps): void {
  addComputationRoutes(app, deps, AUDIENCES)
  addWorkRoutes(app, deps, AUDIENCES)
  addMembers(app, deps)
  addManual(app, deps)
}

function addMembers(app: AdminApp, { catalog, memberships }: AudienceDeps): void {
  app.get('/audiences/:id/members', { schema: schemas.list }, ({ params, query }) => {
    const { id } = requireComputation(catalog, AUDIENCES, params.id)
    return members.page(query, (page) => memberships.list(id, page))
  })
}

function addManual(app: AdminApp, { catalog, clock, memberships, wake }: AudienceDeps): void {
  const listed = new List<{ readonly userId: string }>('listed', (user) => user)

  app.get('/audiences/:id/list', { schema: schemas.listed }, ({ params, query }) => {
    const { id } = requireManual(catalog, params.id)
    return listed.page(query, (page) => memberships.listed(id, page))
  })

  app.put('/audiences/:id/members', { schema: schemas.change }, async (request) => {
    const { id, space } = requireManual(catalog, request.params.id)
    const add = [...new Set(request.body.add)]
    const remove = [...new Set(request.body.remove)]
    const faults = changeFaults(add, remove)
    if (faults.length > 0) throw new Problem('invalid_body', { faults })
    const counts = { added: add.length, removed: remove.length }
    // Without the userIds: the entry outlives a deletion of the users.
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
  const detail =
    'The members of this audience come from its condition. Change the condition, or create an audience with manual: true.'
  throw new Problem('wrong_state', { detail })
}

function changeFaults(add: readonly string[], remove: readonly string[]): readonly Fault[] {
  if (add.length + remove.length > usersPerListChange) {
    const message = `There are ${add.length + remove.length} users in add and remove.`
    return [fault('', 'too_many', message, `Send at most ${usersPerListChange} in one request.`)]
  }
  const removed = new Set(remove)
  const hint = 'Keep it in one of the two.'
  return add.flatMap((id, index) =>
    removed.has(id)
      ? fault(jsonPointer('add', index), 'not_unique', 'The user is in remove too.', hint)
      : [],
  )
}

type Defined = Pick<Audience, 'condition'>

/** The condition in a body; `null` for a manual audience. */
function requestedCondition(body: JsonObject, scope: DefinitionScope): Definition<Defined> {
  const { before } = scope
  const kept = before?.kind === 'audience' ? before.condition : undefined
  const given = body['condition']
  if (given === undefined && kept !== undefined) return { definition: { condition: kept } }
  const isManual = kept === null || (kept === undefined && body['manual'] === true)
  if (isManual) return given === undefined ? MANUAL : { faults: [exclusive(kept)] }
  return given === undefined ? { faults: [MISSING] } : checkedCondition(given, body, scope)
}

function checkedCondition(
  given: unknown,
  { name }: JsonObject,
  { before, space, current }: DefinitionScope,
): Definition<Defined> {
  const valid = validateCondition(given)
  if ('faults' in valid) return { faults: faultsBelow('/condition', valid.faults) }
  const shownName = typeof name === 'string' ? name : (before?.name ?? '')
  const referring = { id: before?.id ?? null, name: shownName, space, ...valid }
  const faults = referenceFaults(referring, current.computations)
  return faults.length > 0 ? { faults: faultsBelow('/condition', faults) } : { definition: valid }
}

const MANUAL: Definition<Defined> = { definition: { condition: null } }

const MISSING = fault(
  '/condition',
  'required',
  'condition is missing.',
  'Say who belongs to the audience: {"trait": "plan", "op": "equals", "value": "pro"}; or give manual: true, and its members later.',
)

function exclusive(kept: null | undefined): Fault {
  return kept === null
    ? fault(
        '/condition',
        'fixed',
        'The members of this audience are a list.',
        'Leave it out. For a condition, create a new audience.',
      )
    : fault(
        '/condition',
        'exclusive',
        'An audience has a condition, or it is manual.',
        'Leave out condition or manual.',
      )
}
