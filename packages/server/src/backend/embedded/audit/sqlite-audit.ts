import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Audit, AuditEntry, AuditFilter } from '../../audit.ts'
import type { Page, PageRequest } from '../../page.ts'
import { conditionsOf } from '../database/conditions.ts'
import { openedText } from '../database/opened-text.ts'
import { pageOf, readJson, type Row, timeOf } from '../database/rows.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { auditWrite } from './write-audit.ts'

/** The audit log on the table `audit`. */
export class SqliteAudit implements Audit {
  readonly #writer: Writer
  readonly #readers: Readers
  readonly #box: SecretBox

  constructor(writer: Writer, readers: Readers, box: SecretBox) {
    this.#writer = writer
    this.#readers = readers
    this.#box = box
  }

  async append(entry: AuditEntry): Promise<void> {
    await this.#writer.run('appendAudit', auditWrite(entry, this.#box))
  }

  removeBefore(time: number): Promise<number> {
    return this.#writer.run('removeAudit', time)
  }

  async list(filter: AuditFilter, { limit, cursor }: PageRequest): Promise<Page<AuditEntry>> {
    const { where, values } = conditionsOf([
      ['actor_id = ?', filter.actorId],
      ['action = ?', filter.action],
      ['target_id = ?', filter.targetId],
    ])
    const rows = await this.#readers.run('select', {
      sql: `SELECT * FROM audit WHERE seq < ? ${where} ORDER BY seq DESC LIMIT ?`,
      values: [Number(cursor ?? Number.MAX_SAFE_INTEGER), ...values, limit + 1],
    })
    return pageOf(rows, { limit, key: 'seq' }, (row) => this.#entryOf(row))
  }

  #entryOf(row: Row): AuditEntry {
    const text = openedText(this.#box, String(row['sealed']), String(row['id']))
    return (readJson(text) as AuditEntry | undefined) ?? unreadableEntry(row)
  }
}

/** What the columns say of an entry that cannot be opened. */
function unreadableEntry(row: Row): AuditEntry {
  return {
    id: String(row['id']),
    at: timeOf(row['at']),
    actor: { id: String(row['actor_id']), name: '', role: '' },
    action: String(row['action']),
    targetId: row['target_id'] === null ? null : String(row['target_id']),
    before: null,
    after: null,
    requestId: '',
    isUnreadable: true,
  }
}
