import { sql } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import { ResponseKept } from '../../idempotent-responses.ts'
import { addResponse } from '../idempotent-responses/add-response.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/**
 * Writes the entry of a change, and the response that it brings, in the transaction of the change: all are kept, or none. A change
 * without an entry writes none.
 * @throws {ResponseKept} where there is a response with the key of the request
 */
export type AuditWriter = (transaction: Connection, entry: AuditEntry | undefined) => Promise<void>

/**
 * The writer of every change that is audited. The whole entry is sealed under its id, because it shows URLs. The columns are
 * what lists look for.
 */
export function auditWriter(box: SecretBox): AuditWriter {
  return async (transaction, audited) => {
    if (audited === undefined) return
    const { response, ...entry } = audited
    const { id, at, actor, action, targetId } = entry
    const target = targetId === null ? null : toText(targetId)
    await sql`INSERT INTO audit (id, at, actor_id, action, target_id, sealed) VALUES (${toText(id)}, ${at},
      ${toText(actor.id)}, ${toText(action)}, ${target}, ${box.seal(JSON.stringify(entry), id)})`.execute(
      transaction,
    )
    if (response !== undefined && !(await addResponse(transaction, response)))
      throw new ResponseKept('There is a response with the key of this request.')
  }
}
