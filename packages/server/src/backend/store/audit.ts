import { type SecretBox, SecretBoxError } from '../../util/secrets/secret-box.ts'
import type { Audit, AuditEntry } from '../audit.ts'
import { ResponseAlreadyStoredError, type ResponseToStore } from '../idempotent-responses.ts'
import { numberIn } from '../page.ts'
import { addResponse } from './idempotent-responses.ts'
import { conditionsOf, pageOf } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

interface AuditRow {
  readonly seq: number
  readonly id: string
  readonly at: number
  readonly actor_id: string
  readonly action: string
  readonly target_id: string | null
  readonly sealed: string
}

/** An entry as stored: sealed under its id, because it shows URLs. The other columns are for filters. */
export interface SealedEntry extends Omit<AuditRow, 'seq'> {
  readonly response: ResponseToStore | undefined
}

const SLICE_ENTRIES = 500

export function storedAudit(store: Store, box: SecretBox): Audit {
  return {
    append: (entry) => store.write(appendAudit, sealedEntry(entry, box)),
    removeBefore: (time) => store.write(removeAudit, time),

    async list({ actorId, action, targetId }, { limit, cursor }) {
      const rows = await store.list(sql<AuditRow>`
        SELECT * FROM audit WHERE seq < ${cursor === undefined ? Number.MAX_SAFE_INTEGER : numberIn(cursor)}
          ${conditionsOf({ actor_id: actorId, action, target_id: targetId })}
        ORDER BY seq DESC LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ seq }) => String(seq) }, (row) => entryOf(row, box))
    },
  }
}

function entryOf(row: AuditRow, box: SecretBox): AuditEntry {
  try {
    return JSON.parse(box.open(row.sealed, row.id)) as AuditEntry
  } catch (error) {
    if (!(error instanceof SecretBoxError || error instanceof SyntaxError)) throw error
    const { id, at, action, actor_id: actorId, target_id: targetId } = row
    const actor = { id: actorId, name: '', role: '' }
    const unknown = { before: null, after: null, requestId: '', isUnreadable: true } as const
    return { id, at, actor, action, targetId, ...unknown }
  }
}

export function sealedEntry({ response, ...entry }: AuditEntry, box: SecretBox): SealedEntry {
  const { id, at, actor, action, targetId } = entry
  const sealed = box.seal(JSON.stringify(entry), id)
  return { id, at, actor_id: actor.id, action, target_id: targetId, sealed, response }
}

/** Writes an entry and its response in the transaction of the change. @throws {ResponseAlreadyStoredError} if the key has a response */
export async function appendAudit(tx: Tx, { response, ...row }: SealedEntry): Promise<void> {
  await tx.run(sql`INSERT INTO audit (id, at, actor_id, action, target_id, sealed)
    VALUES (${row.id}, ${row.at}, ${row.actor_id}, ${row.action}, ${row.target_id}, ${row.sealed})`)
  if (response !== undefined && !(await addResponse(tx, response)))
    throw new ResponseAlreadyStoredError(
      'A response with the key of this request is already stored.',
    )
}

export function removeAudit(tx: Tx, time: number): Promise<number> {
  return tx.run(sql`DELETE FROM audit WHERE seq IN (
    SELECT seq FROM audit WHERE at < ${time} ORDER BY at LIMIT ${SLICE_ENTRIES} ${tx.dialect.skipLocked})`)
}
