import Type from 'typebox'
import type { SuppressionRecord } from '../../backend/deletions.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { List, listQuery, pageSchema } from '../api/list.ts'
import { Problem } from '../problems/problem.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import { presentSuppression } from './suppression-schema.ts'

const suppressionSchemas = {
  list: {
    tags: ['Deletions'],
    operationId: 'listSuppressions',
    summary: 'Lists suppressed users, newest first',
    querystring: Type.Object(
      {
        ...listQuery,
        userId: Type.Optional(Type.String({ description: 'Only suppressions of this user.' })),
      },
      { additionalProperties: false },
    ),
    response: responses(200, 'A page of suppressions.', pageSchema(componentSchema('Suppression'))),
  },
  remove: {
    tags: ['Deletions'],
    operationId: 'removeSuppression',
    summary: 'Ends the suppression of a user, in every source',
    params: Type.Object({ userId: Type.String() }),
    response: responses(204, 'From now on, new events of the user are kept.'),
  },
}

const list = new List<SuppressionRecord>('suppressions', presentSuppression)

/** An audit entry shows at most so many suppressions of a user. */
const MAX_AUDITED = 100

/** `/suppressions`: users whose events are accepted with 200 but not kept. */
export function addSuppressionRoutes(app: AdminApp, { suppressions, clock }: AdminDeps): void {
  app.get('/suppressions', { schema: suppressionSchemas.list }, ({ query }) =>
    list.page(query, (page) => suppressions.list(query, page)),
  )

  app.delete(
    '/suppressions/:userId',
    { schema: suppressionSchemas.remove },
    async (request, reply) => {
      const { userId } = request.params
      const { data, count } = await suppressions.find(userId, MAX_AUDITED)
      const before = { count, suppressions: data.map(presentSuppression) }
      const entry = auditEntry(request, clock.now(), { targetId: userId, before, after: null })
      if (!(await suppressions.remove(userId, entry)))
        throw new Problem('not_found', { detail: 'This user is not suppressed.' })
      return reply.code(204).send()
    },
  )
}
