import Type from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Subject, SuppressionRecord } from '../../backend/deletions.ts'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { List, listQuery, pageSchema } from '../api/list.ts'
import { Problem } from '../problems/problem.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import { presentSuppression } from './suppression-schema.ts'

const USE_QUERY =
  'Prefer DELETE /suppressions with the id in the query: in a path, clients resolve the ids "." and ".." away.'

const suppressionSchemas = {
  list: {
    tags: ['Deletions'],
    operationId: 'listSuppressions',
    summary: 'Lists suppressed users, newest first',
    querystring: Type.Object(
      {
        ...listQuery,
        userId: Type.Optional(Type.String({ description: 'Only suppressions of this userId.' })),
        anonymousId: Type.Optional(
          Type.String({
            description: 'Only suppressions of this anonymousId. Give one of the two.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: responses(200, 'A page of suppressions.', pageSchema(componentSchema('Suppression'))),
  },
  end: {
    tags: ['Deletions'],
    operationId: 'endSuppression',
    summary: 'Ends the suppression of a userId or an anonymousId, in every source',
    querystring: Type.Object(
      {
        userId: Type.Optional(Type.String()),
        anonymousId: Type.Optional(Type.String({ description: 'Give one of the two.' })),
      },
      { additionalProperties: false },
    ),
    response: responses(204, 'From now on, new events of the user are kept.'),
  },
  remove: {
    description: USE_QUERY,
    tags: ['Deletions'],
    operationId: 'removeSuppression',
    summary: 'Ends the suppression of a user, in every source',
    params: Type.Object({ userId: Type.String() }),
    response: responses(204, 'From now on, new events of the user are kept.'),
  },
  removeAnonymous: {
    description: USE_QUERY,
    tags: ['Deletions'],
    operationId: 'removeAnonymousSuppression',
    summary: 'Ends the suppression of an anonymousId, in every source',
    params: Type.Object({ anonymousId: Type.String() }),
    response: responses(204, 'From now on, new events with the anonymousId are kept.'),
  },
}

const list = new List<SuppressionRecord>('suppressions', presentSuppression)

/** An audit entry shows at most so many suppressions of a user. */
const MAX_AUDITED = 100

/** `/suppressions`: users whose events are accepted with 200 but not kept. */
export function addSuppressionRoutes(app: AdminApp, { suppressions, clock }: AdminDeps): void {
  app.get('/suppressions', { schema: suppressionSchemas.list }, ({ query }) => {
    const user = requestedUser(query)
    return list.page(query, (page) => suppressions.list(user === undefined ? {} : { user }, page))
  })

  app.delete('/suppressions', { schema: suppressionSchemas.end }, (request, reply) => {
    const user = requestedUser(request.query)
    if (user !== undefined) return end(user, request, reply)
    const hint = 'Give userId or anonymousId.'
    const faults = [fault('userId', 'required', 'No user is named.', hint)]
    throw new Problem('invalid_query', { faults })
  })

  const { remove, removeAnonymous } = suppressionSchemas
  app.delete('/suppressions/:userId', { schema: remove }, (request, reply) => {
    // What is left of /suppressions/anonymous/. where a client has resolved the path: it names no user.
    if (/\/(?:\?|$)/.test(request.url)) throw new Problem('not_found', { detail: USE_QUERY })
    return end({ kind: 'user', id: request.params.userId }, request, reply)
  })
  app.delete(
    '/suppressions/anonymous/:anonymousId',
    { schema: removeAnonymous },
    (request, reply) => end({ kind: 'anonymous', id: request.params.anonymousId }, request, reply),
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

/** The user of a query; `undefined` where it names none. */
function requestedUser({
  userId,
  anonymousId,
}: {
  readonly userId?: string
  readonly anonymousId?: string
}): Subject | undefined {
  if (userId !== undefined && anonymousId !== undefined) {
    const hint = 'Give userId or anonymousId, not both.'
    const faults = [
      fault('anonymousId', 'exclusive', 'Both userId and anonymousId are given.', hint),
    ]
    throw new Problem('invalid_query', { faults })
  }
  if (userId !== undefined) return { kind: 'user', id: userId }
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId }
}
