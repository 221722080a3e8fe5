import { sql } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/** Writes the entry of a change in its transaction: both are kept, or neither. A change without an entry writes none. */
export type AuditWriter = (transaction: Connection, entry: AuditEntry | undefined) => Promise<void>

/**
 * The writer of every change that is audited. The whole entry is sealed under its id, because it shows URLs. The columns are
 * what lists look for.
 */
export function auditWriter(box: SecretBox): AuditWriter {
  return async (transaction, entry) => {
    if (entry === undefined) return
    const { id, at, actor, action, targetId } = entry
    const target = targetId === null ? null : toText(targetId)
    await sql`INSERT INTO audit (id, at, actor_id, action, target_id, sealed) VALUES (${toText(id)}, ${at},
      ${toText(actor.id)}, ${toText(action)}, ${target}, ${box.seal(JSON.stringify(entry), id)})`.execute(
      transaction,
    )
  }
}
