import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import { LIST_QUERY, pageSchema } from '../api/list.ts'
import { responses } from '../problems/responses.ts'
import { anyObject, nullable, time } from '../api/schema.ts'

const AuditEntryShown = Type.Object({
  id: Type.String(),
  at: time,
  actor: Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
  action: Type.String({ description: 'The operationId of what was done.' }),
  targetId: nullable(Type.String({ description: 'The id of what was changed.' })),
  before: nullable(anyObject),
  after: nullable(anyObject),
  requestId: Type.String(),
})

const filter = {
  actorId: Type.Optional(Type.String({ description: 'Only what this token changed.' })),
  action: Type.Optional(Type.String({ description: 'Only this operationId.' })),
  targetId: Type.Optional(Type.String({ description: 'Only changes of the thing with this id.' })),
}

/** What the route of the audit log takes and answers. */
export const AUDIT_SCHEMAS = {
  list: {
    tags: ['Audit'],
    operationId: 'listAudit',
    summary: 'Lists who changed what, newest first',
    querystring: Type.Object({ ...LIST_QUERY, ...filter }, { additionalProperties: false }),
    response: responses(
      200,
      'A page of changes, with what was before and after; secrets are never in it.',
      pageSchema(AuditEntryShown),
    ),
  },
}

/** The entry as the API shows it. */
export function presentAuditEntry(entry: AuditEntry): object {
  return { ...entry, at: formatTimestamp(entry.at) }
}
