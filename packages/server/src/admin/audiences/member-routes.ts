import { type Audience, formatTimestamp, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import type { Member } from '../../backend/memberships.ts'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, listQuery, pageSchema } from '../api/list.ts'
import {
  IdParams,
  nullable,
  operationsTagged,
  newUserIdField,
  time,
  userIdField,
} from '../api/schema-parts.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { requireComputation } from '../computations/require-computation.ts'
import { Problem } from '../problems/problem.ts'
import { responses } from '../problems/responses.ts'
import { AUDIENCES } from './audience-kind.ts'

const operation = operationsTagged('Audiences')
const strict = { additionalProperties: false }
const querystring = Type.Object(listQuery, strict)
const { usersPerListChange } = LIMITS

const userIds = (field: typeof userIdField, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ ...field, maxLength: 1024 }), {
      description,
    }),
  )

const memberSchemas = {
  list: {
    ...operation('listMembers', 'Lists the members of an audience'),
    params: IdParams,
    querystring,
    response: responses(
      200,
      'A page of members.',
      pageSchema(
        Type.Object({
          userId: nullable(Type.String({ description: 'null: no event has named a userId yet.' })),
          since: time,
        }),
      ),
    ),
  },
  change: {
    ...operation('changeMembers', 'Adds users to a manual audience, and removes others'),
    description: `At most ${usersPerListChange.toLocaleString('en-US')} users in one request. Users who are already on the list, or not on it, stay as they are. The destinations are told within seconds.`,
    params: IdParams,
    body: Type.Object(
      {
        add: userIds(
          newUserIdField,
          'The ids of users to add: texts of 1 to 1,024 characters, without control characters.',
        ),
        remove: userIds(userIdField, 'The ids of users to remove: texts of 1 to 1,024 characters.'),
      },
      strict,
    ),
    response: responses(
      200,
      'How many users were to be added and removed.',
      Type.Object({ added: Type.Integer(), removed: Type.Integer() }),
    ),
  },
  listed: {
    ...operation('listListedUsers', 'Lists the users on the list of a manual audience'),
    description:
      'The list as it was given, by userId. GET /audiences/:id/members shows one entry for users who turned out to be the same person.',
    params: IdParams,
    querystring,
    response: responses(
      200,
      'A page of users.',
      pageSchema(Type.Object({ userId: Type.String() })),
    ),
  },
}

const members = new List<Member>('members', ({ userId, since }) => ({
  userId,
  since: formatTimestamp(since),
}))

/** `/audiences/:id/members`, and the list of a manual audience. */
export function addMemberRoutes(app: AdminApp, deps: AdminDeps): void {
  const { catalog, memberships } = deps
  app.get('/audiences/:id/members', { schema: memberSchemas.list }, ({ params, query }) => {
    const { id } = requireComputation(catalog, AUDIENCES, params.id)
    return members.page(query, (page) => memberships.list(id, page))
  })
  addManual(app, deps)
}

function addManual(app: AdminApp, { catalog, clock, memberships, wake }: AdminDeps): void {
  const listed = new List<{ readonly userId: string }>('listed', (user) => user)

  app.get('/audiences/:id/list', { schema: memberSchemas.listed }, ({ params, query }) => {
    const { id } = requireManual(catalog, params.id)
    return listed.page(query, (page) => memberships.listed(id, page))
  })

  app.put('/audiences/:id/members', { schema: memberSchemas.change }, async (request) => {
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

function requireManual(catalog: AdminDeps['catalog'], id: string): Audience {
  const audience = requireComputation<Audience>(catalog, AUDIENCES, id)
  if (audience.condition === null) return audience
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
