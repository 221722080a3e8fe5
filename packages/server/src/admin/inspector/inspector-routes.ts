import { FIRST_ANSWERS } from '../../inspector/inspector.ts'
import type { RequestSummary } from '../../inspector/inspected-request.ts'
import { fault } from '../../util/fault.ts'
import { isRoleEnough, roleFor } from '../access/route-roles.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List } from '../api/list.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import {
  inspectorSchemas,
  presentAnswers,
  presentInspector,
  presentRequest,
  presentSummary,
} from './inspector-schema.ts'

/** As for the commands of deliveries, which have valid signatures too. */
const SIGNATURES_ROLE = roleFor('GET /deliveries/:id/requests')

const list = new List<RequestSummary>('inspected-requests', presentSummary)

/** `/inspector`: the receiver inside. */
export function addInspectorRoutes(
  app: AdminApp,
  { inspector, audit, clock }: Pick<AdminDeps, 'inspector' | 'audit' | 'clock'>,
): void {
  app.get('/inspector', { schema: inspectorSchemas.get }, async () =>
    presentInspector(inspector.answers, await inspector.counts()),
  )

  app.get('/inspector/requests', { schema: inspectorSchemas.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filter } = query
    return list.page(query, (page) => inspector.list(filter, page))
  })

  app.get(
    '/inspector/requests/:id',
    { schema: inspectorSchemas.find },
    async ({ params, actor }) => {
      const request = await inspector.find(params.id)
      if (request === undefined)
        throw new Problem('not_found', {
          detail: 'The inspector keeps no request with this id: it keeps the last ones only.',
        })
      return presentRequest(request, isRoleEnough(actor.role, SIGNATURES_ROLE))
    },
  )

  app.put('/inspector/answers', { schema: inspectorSchemas.answer }, async (request) => {
    const next = { ...FIRST_ANSWERS, ...request.body }
    if (next.failFirst !== null && next.status < 300) throw notFailing()
    const [before, after] = [presentAnswers(inspector.answers), presentAnswers(next)]
    await audit.append(auditEntry(request, clock.wall(), { targetId: null, before, after }))
    await inspector.respond(next)
    return after
  })

  app.delete('/inspector/requests', { schema: inspectorSchemas.clear }, async (request) => {
    const before = { requests: (await inspector.counts()).kept }
    await audit.append(auditEntry(request, clock.wall(), { targetId: null, before, after: null }))
    return { removed: await inspector.clear() }
  })
}

function notFailing(): Problem {
  const message = 'failFirst needs a status that fails.'
  const hint = 'Give a status of 300 or more, like 500: attempts with 200 to 299 are delivered.'
  return new Problem('invalid_body', {
    faults: [fault('/failFirst', 'needs_failing_status', message, hint)],
  })
}
