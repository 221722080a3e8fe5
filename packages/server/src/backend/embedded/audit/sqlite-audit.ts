import type { DatabaseSync } from 'node:sqlite'
import type { Audit, AuditEntry, AuditFilter } from '../../audit.ts'
import type { Page, PageRequest } from '../../page.ts'
import { conditionsOf } from '../database/conditions.ts'
import { pageOf } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import { auditRow } from './write-audit.ts'

/** The audit log on the table `audit`. */
export class SqliteAudit implements Audit {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async append(entry: AuditEntry): Promise<void> {
    await this.#writer.run('appendAudit', auditRow(entry))
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
    const rows = this.#statements.all(
      `SELECT seq, document FROM audit WHERE seq < ? ${where} ORDER BY seq DESC LIMIT ?`,
      [Number(cursor ?? Number.MAX_SAFE_INTEGER), ...values, limit + 1],
    )
    return pageOf(
      rows,
      { limit, key: 'seq' },
      ({ document }) => JSON.parse(String(document)) as AuditEntry,
    )
  }
}
