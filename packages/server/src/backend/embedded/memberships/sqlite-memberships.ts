import type { Json } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import type { AnnouncedUser, ChangeCounts, Member, Memberships } from '../../memberships.ts'
import type { Page, PageRequest } from '../../page.ts'
import { pageOf, readJson, type Row, timeOf } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'

const NUMBER_OF = '(SELECT number FROM computations WHERE id = ?)'

/** Memberships on the tables `results`, `announced` and `listed_users`. */
export class SqliteMemberships implements Memberships {
  readonly #writer: Writer
  readonly #readers: Readers
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync, readers: Readers) {
    this.#writer = writer
    this.#readers = readers
    this.#statements = new Statements(reader)
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const rows = this.#statements.all('SELECT id, size FROM computations', [])
    return new Map(rows.map(({ id, size }) => [String(id), Number(size)]))
  }

  async list(computationId: string, { limit, cursor = '0' }: PageRequest): Promise<Page<Member>> {
    const rows = await this.#select(
      `SELECT results.profile AS profile, value, since, (
         SELECT id FROM profile_ids WHERE profile = results.profile AND kind = 'user' AND is_seen
         ORDER BY id LIMIT 1) AS userId
       FROM results WHERE computation = ${NUMBER_OF} AND results.profile > ?
       ORDER BY results.profile LIMIT ? + 0`,
      [computationId, Number(cursor), limit + 1],
    )
    return pageOf(rows, { limit, key: 'profile' }, (row) => ({
      userId: row['userId'] as string | null,
      value: readJson(row['value']) as Json,
      since: timeOf(row['since']),
    }))
  }

  async changes(computationId: string, since: number): Promise<readonly ChangeCounts[]> {
    const rows = this.#statements.all(
      `SELECT start, entered, went AS "left" FROM computation_changes
       WHERE computation = ${NUMBER_OF} AND start >= ? ORDER BY start`,
      [computationId, since],
    )
    return rows.map((row) => ({ ...row, start: timeOf(row['start']) }) as unknown as ChangeCounts)
  }

  async announced(
    computationId: string,
    after: string,
    limit: number,
  ): Promise<readonly AnnouncedUser[]> {
    const rows = await this.#select(
      `SELECT user_id, value, number, at FROM announced
       WHERE computation = ${NUMBER_OF} AND user_id > ? ORDER BY user_id LIMIT ? + 0`,
      [computationId, after, limit],
    )
    return rows.map((row) => ({
      userId: String(row['user_id']),
      value: readJson(row['value']) as Json,
      number: Number(row['number']),
      at: Number(row['at']),
    }))
  }

  changeList(
    list: { readonly audienceId: string; readonly space: string },
    change: {
      readonly add: readonly string[]
      readonly remove: readonly string[]
      readonly at: number
    },
    audit?: AuditEntry,
  ): Promise<void> {
    return this.#writer.run('changeList', { ...list, ...change }, audit)
  }

  async listed(
    audienceId: string,
    { limit, cursor = '' }: PageRequest,
  ): Promise<Page<{ readonly userId: string }>> {
    const rows = await this.#select(
      `SELECT user_id AS userId FROM listed_users
       WHERE computation = ${NUMBER_OF} AND user_id > ? ORDER BY user_id LIMIT ? + 0`,
      [audienceId, cursor, limit + 1],
    )
    return pageOf(rows, { limit, key: 'userId' }, ({ userId }) => ({ userId: String(userId) }))
  }

  forget(computationId: string): Promise<boolean> {
    return this.#writer.run('forgetComputation', computationId)
  }

  #select(sql: string, values: readonly (string | number)[]): Promise<Row[]> {
    return this.#readers.run('select', { sql, values })
  }
}
