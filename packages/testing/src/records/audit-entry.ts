import type { AuditEntry } from '../../../server/src/backend/audit.ts'
import { NOON } from './accepted-event.ts'

export const auditEntryOf = (id: string, change: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: NOON,
  actor: { id: 'tok_a', name: 'ci', role: 'editor' },
  action: 'createSource',
  targetId: 'src_a',
  before: null,
  after: { name: 'web' },
  requestId: 'r1',
  ...change,
})
