import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, listQuery, pageSchema } from '../api/list.ts'
import { anyObject, nullable, time } from '../api/schema-parts.ts'
import { responses } from '../problems/responses.ts'

const AuditEntryResponse = Type.Object({
  id: Type.String(),
  at: time,
  actor: Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
  action: Type.String({ description: 'The operationId of the request.' }),
  targetId: nullable(Type.String({ description: 'The id of the changed record.' })),
  before: nullable(anyObject),
  after: nullable(anyObject),
  requestId: Type.String(),
  unreadable: Type.Optional(
    Type.Literal(true, {
      description: 'The stored entry is damaged. It shows what can still be read of it.',
    }),
  ),
})

const filter = {
  actorId: Type.Optional(Type.String({ description: 'Only changes made with this token.' })),
  action: Type.Optional(Type.String({ description: 'Only this operationId.' })),
  targetId: Type.Optional(Type.String({ description: 'Only changes of the record with this id.' })),
}

const auditSchema = {
  tags: ['Audit'],
  operationId: 'listAudit',
  summary: 'Lists changes and who made them, newest first',
  querystring: Type.Object({ ...listQuery, ...filter }, { additionalProperties: false }),
  response: responses(
    200,
    'A page of changes. Each shows the record before and after the change, without secrets. A change of many records shows their number, the first 1,000 ids, and the records that fit into 64 KB.',
    pageSchema(AuditEntryResponse),
  ),
}

const list = new List<AuditEntry>('audit', ({ isUnreadable, ...entry }) => ({
  ...entry,
  at: formatTimestamp(entry.at),
  ...(isUnreadable && { unreadable: true }),
}))

/** `/audit`: the log of changes. */
export function addAuditRoute(app: AdminApp, { audit, logger }: AdminDeps): void {
  app.get('/audit', { schema: auditSchema }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filters } = query
    return list.page(query, async (page) => {
      const entries = await audit.list(filters, page)
      const ids = entries.data.filter(({ isUnreadable }) => isUnreadable).map(({ id }) => id)
      if (ids.length > 0) logger.error({ ids }, 'audit.unreadable')
      return entries
    })
  })
}
