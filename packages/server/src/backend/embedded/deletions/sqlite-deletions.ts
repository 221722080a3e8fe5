import type { Carried } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { Deletion, DeletionRequest, Deletions, DeletionStep, Purge } from '../../deletions.ts'
import type { Page, PageRequest } from '../../page.ts'
import { numberOrNull, pageOf, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { removeCopies } from '../migrations/migrate.ts'
import type { Writer } from '../writer.ts'
import { PurgedUsers } from './purged-users.ts'
import type { Scrubbed } from './scrub.ts'
import type { PurgePlace } from './write-purge.ts'

/** Tries before a reader makes `erase` reject: about a second. A copy of the database reads for longer. */
const BUSY_TRIES = 50

/** Deletions on the tables `deletions` and `deletion_users`, and the purge of users. */
export class SqliteDeletions implements Deletions {
  readonly #writer: Writer
  readonly #databaseFile: string
  readonly #statements: Statements
  readonly #purged = new PurgedUsers()

  constructor(writer: Writer, reader: DatabaseSync, databaseFile: string) {
    this.#writer = writer
    this.#databaseFile = databaseFile
    this.#statements = new Statements(reader)
  }

  async create(
    request: DeletionRequest,
    userIds: readonly string[],
    audit?: AuditEntry,
  ): Promise<void> {
    const { id, suppress } = request
    const step: DeletionStep = suppress ? 'suppress' : 'purge'
    const document = JSON.stringify(request)
    await this.#writer.run('createDeletion', { id, step, document, userIds }, audit)
  }

  async find(id: string): Promise<Deletion | undefined> {
    const [row] = this.#statements.all('SELECT * FROM deletions WHERE id = ?', [id])
    return row && deletionOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Deletion>> {
    const rows = this.#statements.all(
      `SELECT * FROM deletions WHERE id < ? ${isOpen ? "AND step <> 'done'" : ''}
       ORDER BY id DESC LIMIT ?`,
      [cursor, limit + 1],
    )
    return pageOf(rows, { limit, key: 'id' }, deletionOf)
  }

  async users(
    id: string,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const rows = this.#statements.all(
      'SELECT user_id FROM deletion_users WHERE deletion_id = ? AND user_id > ? ORDER BY user_id LIMIT ?',
      [id, after, limit],
    )
    return rows.map((row) => String(row['user_id']))
  }

  async advance(id: string, to: DeletionStep, now: number): Promise<void> {
    this.#purged.forgetOld(now)
    await this.#writer.run('advanceDeletion', { id, to, now })
  }

  async purge(purge: Purge): Promise<string | null> {
    // Before the rows are removed: a part that has an event in memory must not write after the purge.
    this.#purged.add(purge)
    const { cursor, ...input } = purge
    const place = cursor === undefined ? BEGINNING : (JSON.parse(cursor) as PurgePlace)
    const next = await this.#writer.run('purgeUsers', { ...input, place })
    return next === null ? null : JSON.stringify(next)
  }

  async erase(signal: AbortSignal): Promise<boolean> {
    removeCopies(this.#databaseFile)
    for (let page: number | null = 0, tries = 0; page !== null;) {
      if (signal.aborted) return false
      const scrubbed: Scrubbed = await this.#writer.run('scrub', page)
      if (scrubbed !== 'busy') {
        tries = 0
        page = scrubbed.nextPage
      } else if (++tries === BUSY_TRIES) {
        throw new BackendUnavailable('The database is being read at length, as for a copy.')
      }
    }
    return true
  }

  isPurged(carried: Carried): boolean {
    return this.#purged.has(carried)
  }
}

const BEGINNING: PurgePlace = { user: 0, column: 0, afterSeq: 0 }

function deletionOf(row: Row): Deletion {
  return {
    ...(JSON.parse(String(row['document'])) as DeletionRequest),
    step: row['step'] as DeletionStep,
    startedAt: numberOrNull(row['started_at']),
    suppressedAt: numberOrNull(row['suppressed_at']),
    purgedAt: numberOrNull(row['purged_at']),
    notifiedAt: numberOrNull(row['notified_at']),
    purged: {
      events: Number(row['purged_events']),
      deliveries: Number(row['purged_deliveries']),
    },
  }
}
