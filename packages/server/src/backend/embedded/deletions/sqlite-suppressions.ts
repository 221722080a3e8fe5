import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import type { LeftOutCalls, Suppression, SuppressionRecord, Suppressions } from '../../deletions.ts'
import type { Page, PageRequest } from '../../page.ts'
import { pageOf, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import { EVERY_SOURCE } from './write-deletions.ts'

/** Suppressions on the table `suppressions`, read once at the start: only this process writes it. */
export class SqliteSuppressions implements Suppressions {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #sourcesByUser = new Map<string, Set<string>>()

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
    const all = reader.prepare('SELECT user_id, source_id FROM suppressions')
    for (const { user_id: userId, source_id: sourceId } of all.iterate())
      this.#keep(String(userId), String(sourceId))
  }

  has(sourceId: string, userId: string): boolean {
    const sources = this.#sourcesByUser.get(userId)
    return sources !== undefined && (sources.has(EVERY_SOURCE) || sources.has(sourceId))
  }

  async add(suppressions: readonly Suppression[]): Promise<void> {
    await this.#writer.run('addSuppressions', suppressions)
    for (const { userId, sourceId } of suppressions) this.#keep(userId, sourceId ?? EVERY_SOURCE)
  }

  countLeftOut(calls: LeftOutCalls): Promise<void> {
    return this.#writer.runLater('countLeftOut', calls)
  }

  async remove(userId: string, audit?: AuditEntry): Promise<boolean> {
    const wasThere = await this.#writer.run('removeSuppressions', userId, audit)
    this.#sourcesByUser.delete(userId)
    return wasThere
  }

  async find(
    userId: string,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }> {
    const rows = this.#statements.all(
      'SELECT *, count(*) OVER () AS count FROM suppressions WHERE user_id = ? ORDER BY seq DESC LIMIT ?',
      [userId, limit],
    )
    return { data: rows.map(suppressionOf), count: Number(rows[0]?.['count'] ?? 0) }
  }

  async list(
    { userId }: { readonly userId?: string },
    { limit, cursor }: PageRequest,
  ): Promise<Page<SuppressionRecord>> {
    const ofUser = userId === undefined ? [] : [userId]
    const rows = this.#statements.all(
      `SELECT * FROM suppressions WHERE seq < ? ${userId === undefined ? '' : 'AND user_id = ?'} ORDER BY seq DESC LIMIT ?`,
      [Number(cursor ?? Number.MAX_SAFE_INTEGER), ...ofUser, limit + 1],
    )
    return pageOf(rows, { limit, key: 'seq' }, suppressionOf)
  }

  #keep(userId: string, sourceId: string): void {
    const sources = this.#sourcesByUser.get(userId) ?? new Set()
    this.#sourcesByUser.set(userId, sources.add(sourceId))
  }
}

function suppressionOf(row: Row): SuppressionRecord {
  const lastLeftOutAt = row['last_left_out_at']!
  return {
    userId: String(row['user_id']),
    sourceId: row['source_id'] === EVERY_SOURCE ? null : String(row['source_id']),
    since: Number(row['since']),
    deletionId: String(row['deletion_id']),
    callsLeftOut: Number(row['calls_left_out']),
    lastLeftOutAt: lastLeftOutAt === null ? null : Number(lastLeftOutAt),
  }
}
