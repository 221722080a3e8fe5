import { formatTimestamp } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Subject, SuppressionRecord, Suppressions } from '../backend/deletions.ts'
import { fault } from '../util/fault.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type Audited, auditEntry, type ChangeDeps } from './audit.ts'
import { Problem } from './problems/problem.ts'

/** A suppression as the API shows it. */
export const SuppressionResponse = Type.Object(
  {
    userId: Schema.nullable(Schema.text('null for an anonymousId.')),
    anonymousId: Schema.nullable(Schema.text('null for a userId.')),
    sourceId: Schema.nullable(Schema.text('null: every source.')),
    since: Schema.time,
    deletionId: Schema.text('The deletion that requested it.'),
    callsLeftOut: Schema.integer('How many calls of the user got a 200 and were not kept.'),
    lastLeftOutAt: Schema.nullable(Schema.timeOf('When the last of them arrived.')),
  },
  { $id: 'Suppression' },
)

const { viewer, admin } = Schema.operationsTagged('Deletions')

const USE_QUERY =
  'Prefer DELETE /suppressions with the id in the query: in a path, clients resolve the ids "." and ".." away.'

const schemas = {
  list: {
    ...viewer('listSuppressions', 'Lists suppressed users, newest first'),
    querystring: Type.Object(
      {
        ...Schema.listQuery,
        userId: Type.Optional(Schema.text('Only suppressions of this userId.')),
        anonymousId: Type.Optional(
          Schema.text('Only suppressions of this anonymousId. Give one of the two.'),
        ),
      },
      Schema.strict,
    ),
    response: Schema.pages('A page of suppressions.', Schema.ref(SuppressionResponse)),
  },
  end: {
    ...admin(
      'endSuppression',
      'Ends the suppression of a userId or an anonymousId, in every source',
    ),
    querystring: Type.Object(
      {
        userId: Type.Optional(Type.String()),
        anonymousId: Type.Optional(Schema.text('Give one of the two.')),
      },
      Schema.strict,
    ),
    response: Schema.responses(204, 'From now on, new events of the user are kept.'),
  },
  remove: {
    description: USE_QUERY,
    ...admin('removeSuppression', 'Ends the suppression of a user, in every source'),
    params: Type.Object({ userId: Type.String() }),
    response: Schema.responses(204, 'From now on, new events of the user are kept.'),
  },
  removeAnonymous: {
    description: USE_QUERY,
    ...admin(
      'removeAnonymousSuppression',
      'Ends the suppression of an anonymousId, in every source',
    ),
    params: Type.Object({ anonymousId: Type.String() }),
    response: Schema.responses(204, 'From now on, new events with the anonymousId are kept.'),
  },
}

const list = new List<SuppressionRecord>('suppressions', presentSuppression)

/** An audit entry shows at most so many suppressions of a user. */
const MAX_AUDITED = 100

interface SuppressionDeps extends Pick<ChangeDeps, 'clock'> {
  readonly suppressions: Audited<Suppressions, 'remove'>
}

/** `/suppressions`: users whose events are accepted with 200 but not kept. */
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
    if (user !== undefined) return end(user, request, reply)
    const hint = 'Give userId or anonymousId.'
    const faults = [fault('userId', 'required', 'No user is named.', hint)]
    throw new Problem('invalid_query', { faults })
  })

  const { remove, removeAnonymous } = schemas
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

export function presentSuppression({
  kind,
  id,
  since,
  lastLeftOutAt,
  ...rest
}: SuppressionRecord): object {
  return {
    ...presentSubject({ kind, id }),
    ...rest,
    since: formatTimestamp(since),
    lastLeftOutAt: Schema.timeOrNull(lastLeftOutAt),
  }
}

/** Whom a suppression or a notice is about, as the API shows it. */
export function presentSubject({ kind, id }: Subject): object {
  const isUser = kind === 'user'
  return { userId: isUser ? id : null, anonymousId: isUser ? null : id }
}
