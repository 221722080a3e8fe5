import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import type { Subject, SuppressionRecord, Suppressions } from '../backend/deletions.ts'
import { fieldError } from '../util/field-error.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type AuditedPort, auditEntry, type ChangeDeps } from './audit.ts'
import { Problem } from './problems/problem.ts'

export const SuppressionResponse = Type.Object(
  {
    userId: Schema.nullable(Schema.text('null for an anonymousId.')),
    anonymousId: Schema.nullable(Schema.text('null for a userId.')),
    sourceId: Schema.nullable(Schema.text('null: every source.')),
    since: Schema.time,
    deletionId: Schema.text('The deletion that requested it.'),
    droppedCalls: Schema.integer('Calls for the user that got a 200 and were not stored.'),
    lastDroppedAt: Schema.nullable(Schema.timeOf('When the last dropped call arrived.')),
  },
  { $id: 'Suppression' },
)

const { viewer, admin } = Schema.operationsTagged('Deletions')

const userQuery = {
  userId: Type.Optional(Schema.text('The userId of the suppressed user.')),
  anonymousId: Type.Optional(
    Schema.text('The anonymousId of the suppressed user. Mutually exclusive with userId.'),
  ),
}
const ended = Schema.responses(204, 'From now on, new events from the user are stored.')

const schemas = {
  list: {
    ...viewer('listSuppressions', 'Lists suppressed users, newest first'),
    querystring: Type.Object({ ...Schema.listQuery, ...userQuery }, Schema.strict),
    response: Schema.pages('A page of suppressions.', Schema.ref(SuppressionResponse)),
  },
  end: {
    ...admin(
      'endSuppression',
      'Ends the suppression of a userId or an anonymousId, in every source',
    ),
    querystring: Type.Object(userQuery, Schema.strict),
    response: ended,
  },
  remove: {
    description:
      'Prefer DELETE /suppressions with the id in the query: in a path, clients remove the segments "." and "..".',
    ...admin('removeSuppression', 'Ends the suppression of a user, in every source'),
    params: Type.Object({ userId: Type.String() }),
    response: ended,
  },
}

const list = new List<SuppressionRecord>('suppressions', presentSuppression)

/** The maximum number of suppressions of a user in an audit entry. */
const MAX_AUDITED = 100

interface SuppressionDeps extends Pick<ChangeDeps, 'clock'> {
  readonly suppressions: AuditedPort<Suppressions, 'remove'>
}

/** `/suppressions`: users whose events are accepted with 200 but not stored. */
export function addSuppressionRoutes(
  app: AdminApp,
  { suppressions, clock }: SuppressionDeps,
): void {
  app.get('/suppressions', { schema: schemas.list }, ({ query }) => {
    const user = requestedUser(query)
    return list.page(query, (page) => suppressions.list(user === undefined ? {} : { user }, page))
  })

  app.delete('/suppressions', { schema: schemas.end }, (request, reply) => {
    const user = requestedUser(request.query)
    if (user === undefined)
      throw invalidUser('userId', 'required', 'userId or anonymousId is required.')
    return end(user, request, reply)
  })

  app.delete('/suppressions/:userId', { schema: schemas.remove }, (request, reply) =>
    end({ kind: 'user', id: request.params.userId }, request, reply),
  )

  async function end(
    user: Subject,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { data, count } = await suppressions.find(user, MAX_AUDITED)
    const before = { count, suppressions: data.map(presentSuppression) }
    const entry = auditEntry(request, clock.wall(), { targetId: user.id, before, after: null })
    if (!(await suppressions.remove(user, entry)))
      throw new Problem('not_found', { detail: 'This user is not suppressed.' })
    return reply.code(204).send()
  }
}

/** The user that a query names, if any. */
function requestedUser(query: Static<TObject<typeof userQuery>>): Subject | undefined {
  const { userId, anonymousId } = query
  if (userId !== undefined && anonymousId !== undefined)
    throw invalidUser('anonymousId', 'exclusive', 'userId and anonymousId are mutually exclusive.')
  if (userId !== undefined) return { kind: 'user', id: userId }
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId }
}

function invalidUser(parameter: string, code: 'required' | 'exclusive', message: string): Problem {
  const errors = [
    fieldError(`/${parameter}`, code, message, 'Specify either userId or anonymousId.'),
  ]
  return new Problem('invalid_query', { errors })
}

export function presentSuppression({ kind, id, ...rest }: SuppressionRecord): object {
  return { ...presentSubject({ kind, id }), ...Schema.withTimes(rest, 'since', 'lastDroppedAt') }
}

/** The user of a suppression or a notice as the API returns it. */
export function presentSubject({ kind, id }: Subject): object {
  const isUser = kind === 'user'
  return { userId: isUser ? id : null, anonymousId: isUser ? null : id }
}
