import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import type {
  LeftOutCalls,
  Subject,
  Suppression,
  SuppressionRecord,
  Suppressions,
} from '../../deletions.ts'
import type { SharedChanges } from '../shared-changes.ts'
import type { Page, PageRequest } from '../../page.ts'
import { pageOf, type Row, timeOf, timeOrNull } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import { SuppressedUsers } from './suppressed-users.ts'
import { EVERY_SOURCE } from './write-deletions.ts'

/** Suppressions on the table `suppressions`, read once at the start: only this process writes it. */
export class SqliteSuppressions implements Suppressions {
  readonly #writer: Writer
  readonly #changes: SharedChanges
  readonly #statements: Statements
  readonly #users: SuppressedUsers

  constructor(writer: Writer, reader: DatabaseSync, changes: SharedChanges) {
    this.#writer = writer
    this.#changes = changes
    this.#statements = new Statements(reader)
    this.#users = new SuppressedUsers(reader)
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    return this.#users.has(sourceId, kind, id)
  }

  async add(suppressions: readonly Suppression[]): Promise<void> {
    await this.#writer.run('addSuppressions', suppressions)
    this.#users.add(suppressions)
    await this.#changes.tell({ kind: 'suppressed', suppressions })
  }

  countLeftOut(calls: LeftOutCalls): Promise<void> {
    return this.#writer.runLater('countLeftOut', calls)
  }

  async remove(user: Subject, audit?: AuditEntry): Promise<boolean> {
    const wasThere = await this.#writer.run('removeSuppressions', user, audit)
    this.#users.remove(user)
    await this.#changes.tell({ kind: 'unsuppressed', user })
    return wasThere
  }

  async find(
    { kind, id }: Subject,
    limit: number,
  ): Promise<{ readonly data: readonly SuppressionRecord[]; readonly count: number }> {
    const rows = this.#statements.all(
      'SELECT *, count(*) OVER () AS count FROM suppressions WHERE kind = ? AND user_id = ? ORDER BY seq DESC LIMIT ?',
      [kind, id, limit],
    )
    return { data: rows.map(suppressionOf), count: Number(rows[0]?.['count'] ?? 0) }
  }

  async list(
    { user }: { readonly user?: Subject },
    { limit, cursor }: PageRequest,
  ): Promise<Page<SuppressionRecord>> {
    const ofUser = user === undefined ? [] : [user.kind, user.id]
    const rows = this.#statements.all(
      `SELECT * FROM suppressions WHERE seq < ? ${user === undefined ? '' : 'AND kind = ? AND user_id = ?'} ORDER BY seq DESC LIMIT ?`,
      [Number(cursor ?? Number.MAX_SAFE_INTEGER), ...ofUser, limit + 1],
    )
    return pageOf(rows, { limit, key: 'seq' }, suppressionOf)
  }
}

function suppressionOf(row: Row): SuppressionRecord {
  return {
    kind: row['kind'] as Subject['kind'],
    id: String(row['user_id']),
    sourceId: row['source_id'] === EVERY_SOURCE ? null : String(row['source_id']),
    since: timeOf(row['since']),
    deletionId: String(row['deletion_id']),
    callsLeftOut: Number(row['calls_left_out']),
    lastLeftOutAt: timeOrNull(row['last_left_out_at']),
  }
}
