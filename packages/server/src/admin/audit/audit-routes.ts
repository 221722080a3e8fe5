import type { AuditEntry } from '../../backend/audit.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { AUDIT_SCHEMAS, presentAuditEntry } from './audit-schema.ts'
import { List } from '../api/list.ts'

const list = new List<AuditEntry>('audit', presentAuditEntry)

/** `/audit`: who changed what. */
export function addAuditRoutes(app: AdminApp, { audit }: AdminDeps): void {
  app.get('/audit', { schema: AUDIT_SCHEMAS.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filter } = query
    return list.answer(query, (page) => audit.list(filter, page))
  })
}
