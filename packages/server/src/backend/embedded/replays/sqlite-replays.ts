import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Replay, Replays, ReplaySelection, ReplaySlice, ReplayStep } from '../../replays.ts'
import { pageOf, type Row, timeOf, timeOrNull } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'

type Document = Pick<Replay, 'selection' | 'ratePerSecond'>

/** Replays on the table `replays`. */
export class SqliteReplays implements Replays {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #readers: Readers

  constructor(writer: Writer, reader: DatabaseSync, readers: Readers) {
    this.#writer = writer
    this.#readers = readers
    this.#statements = new Statements(reader)
  }

  async create(
    { id, createdAt, selection, ratePerSecond }: Replay,
    audit?: AuditEntry,
  ): Promise<void> {
    const document = JSON.stringify({ selection, ratePerSecond } satisfies Document)
    await this.#writer.run('createReplay', { id, createdAt, document }, audit)
  }

  async find(id: string): Promise<Replay | undefined> {
    const [row] = this.#statements.all('SELECT * FROM replays WHERE id = ?', [id])
    return row && replayOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Replay>> {
    const rows = this.#statements.all(
      `SELECT * FROM replays WHERE id < ? ${isOpen ? 'AND finished_at IS NULL' : ''}
       ORDER BY id DESC LIMIT ?`,
      [cursor, limit + 1],
    )
    return pageOf(rows, { limit, key: 'id' }, replayOf)
  }

  cancel(id: string, now: number, audit?: AuditEntry): Promise<void> {
    return this.#writer.run('cancelReplay', { id, now }, audit)
  }

  select(
    selection: ReplaySelection,
    options: { readonly cursor: string | null; readonly scan: number; readonly limit: number },
  ): Promise<ReplaySlice> {
    return this.#readers.run('replaySlice', { selection, ...options })
  }

  async advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined> {
    const { id, selection, cursor: fromCursor } = replay
    const { destinationId } = selection
    const taken = await this.#writer.run('advanceReplay', {
      id,
      destinationId,
      fromCursor,
      ...step,
    })
    return taken ? this.find(id) : undefined
  }

  retry(id: string, now: number, audit?: AuditEntry): Promise<boolean> {
    return this.#writer.run('retryDelivery', { id, now }, audit)
  }
}

function replayOf(row: Row): Replay {
  return {
    ...(JSON.parse(String(row['document'])) as Document),
    id: String(row['id']),
    state: row['state'] as Replay['state'],
    createdAt: timeOf(row['created_at']),
    finishedAt: timeOrNull(row['finished_at']),
    scanned: Number(row['scanned']),
    requeued: Number(row['requeued']),
    delivered: Number(row['delivered']),
    failed: Number(row['failed']),
    reachedAt: timeOrNull(row['reached_at']),
    cursor: row['cursor'] === null ? null : String(row['cursor']),
  }
}
