import type { Carried } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry } from '../../audit.ts'
import { BackendUnavailable } from '../../backend.ts'
import type {
  DeletedIds,
  Deletion,
  DeletionRequest,
  Deletions,
  DeletionStep,
  Purge,
  Subject,
} from '../../deletions.ts'
import type { BegunPurge } from '../../threads.ts'
import type { SharedChanges } from '../shared-changes.ts'
import type { Page, PageRequest } from '../../page.ts'
import { numberOrNull, pageOf, type Row, timeOrNull } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { RecentEvents } from '../log/recent-events.ts'
import type { Duplicates } from '../log/sqlite-log.ts'
import { removeCopies } from '../migrations/migrate.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { seqFinder } from './find-seq.ts'
import { PurgedUsers } from './purged-users.ts'
import type { Scrubbed } from './scrub.ts'
import type { PurgePlace } from './write-purge.ts'

/** Tries before a reader makes `erase` reject: about a second. A copy of the database reads for longer. */
const BUSY_TRIES = 50

interface SqliteDeletionsOptions {
  readonly databaseFile: string
  readonly readers: Readers
  readonly duplicates: Duplicates
  readonly recent: RecentEvents
  readonly changes: SharedChanges
}

/** Deletions on the tables `deletions` and `deletion_users`, and the purge of users. */
export class SqliteDeletions implements Deletions {
  readonly #writer: Writer
  readonly #options: SqliteDeletionsOptions
  readonly #statements: Statements
  readonly #purged: PurgedUsers

  constructor(writer: Writer, reader: DatabaseSync, options: SqliteDeletionsOptions) {
    this.#writer = writer
    this.#options = options
    this.#statements = new Statements(reader)
    this.#purged = new PurgedUsers({ seqOf: seqFinder(reader) })
  }

  async create(request: DeletionRequest, ids: DeletedIds, audit?: AuditEntry): Promise<void> {
    const { id, suppress } = request
    const step: DeletionStep = suppress ? 'suppress' : 'purge'
    const document = JSON.stringify(request)
    await this.#writer.run('createDeletion', { id, step, document, ids }, audit)
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

  async ids(
    id: string,
    kind: Subject['kind'],
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const [table, column] = ID_TABLES[kind]
    const rows = this.#statements.all(
      `SELECT ${column} AS id FROM ${table} WHERE deletion_id = ? AND ${column} > ? ORDER BY ${column} LIMIT ?`,
      [id, after, limit],
    )
    return rows.map((row) => String(row['id']))
  }

  async advance(id: string, to: DeletionStep, now: number): Promise<void> {
    this.#purged.forgetOld()
    await this.#writer.run('advanceDeletion', { id, to, now })
  }

  async purge(purge: Purge): Promise<string | null> {
    const through = this.#endOf(purge.deletionId)
    // Before the rows are removed: a part that has an event in memory must not send it any more.
    this.#purged.add(purge, through)
    await this.#options.changes.tell({ kind: 'purged', purge: { ...purge, through } })
    const place = placeOf(purge)
    const next = await this.#options.recent.whileRemoving(() =>
      'anonymousAfter' in place
        ? this.#purgeAnonymous(purge, place.anonymousAfter, through)
        : this.#purgeUsers(purge, place, through),
    )
    return next === null ? null : JSON.stringify(next)
  }

  async #purgeUsers(purge: Purge, place: PurgePlace, through: number): Promise<Place | null> {
    const { deletionId, userIds, sourceIds, at = 0, anonymousIds = [] } = purge
    const input = { deletionId, userIds, sourceIds, at, through, place }
    const next = await this.#writer.run('purgeUsers', input)
    return next ?? (anonymousIds.length > 0 ? ANONYMOUS_BEGINNING : null)
  }

  /** Reads for a while, and removes what it has found. Profiles go before the first event, and once more after the last. */
  async #purgeAnonymous(
    { deletionId, anonymousIds = [], sourceIds, at = 0 }: Purge,
    after: number,
    through: number,
  ): Promise<Place | null> {
    const removeProfiles = async (): Promise<void> => {
      for (let from = 0; from < anonymousIds.length; from += PROFILES) {
        const ids = anonymousIds.slice(from, from + PROFILES)
        await this.#writer.run('purgeAnonymousProfiles', { anonymousIds: ids, sourceIds, at })
      }
    }
    if (after === 0) await removeProfiles()
    const search = { anonymousIds, after, through }
    const { seqs, reached } = await this.#options.readers.run('findAnonymous', search)
    for (let done = 0; done < seqs.length;) {
      const slice = { deletionId, sourceIds, at, seqs: seqs.slice(done, done + EVENTS) }
      done += await this.#writer.run('purgeAnonymousEvents', slice)
    }
    if (reached < through) return { anonymousAfter: reached }
    await removeProfiles()
    return null
  }

  async erase(signal: AbortSignal): Promise<boolean> {
    removeCopies(this.#options.databaseFile)
    for (let page: number | null = 0, tries = 0; page !== null;) {
      if (signal.aborted) return false
      const scrubbed = await this.#scrub(page, tries)
      if (scrubbed !== 'busy') {
        tries = 0
        page = scrubbed.nextPage
      } else if (++tries === BUSY_TRIES) {
        throw new BackendUnavailable('The database is being read at length, as for a copy.')
      }
    }
    return true
  }

  /** The purges that a thread must know that joins now. */
  get recentPurges(): readonly BegunPurge[] {
    return this.#purged.recent
  }

  isPurged(carried: Carried): boolean {
    // A duplicate is not in the table, and is dropped as such.
    return !this.#options.duplicates.has(carried.id) && this.#purged.has(carried)
  }

  /** Long reads pause for it where one was in the way. */
  #scrub(page: number, tries: number): Promise<Scrubbed> {
    const run = (): Promise<Scrubbed> => this.#writer.run('scrub', page)
    return tries === 0 ? run() : this.#options.readers.whilePaused(run)
  }

  /** The seq of the last event that the purge of a deletion may remove. */
  #endOf(deletionId: string): number {
    const [row] = this.#statements.all('SELECT purge_through FROM deletions WHERE id = ?', [
      deletionId,
    ])
    const through = numberOrNull(row?.['purge_through'] ?? null)
    if (through === null) throw new Error(`The purge of ${deletionId} has not begun.`)
    return through
  }
}

/** Anonymous ids whose profiles one write removes, and events that one may remove. */
const PROFILES = 20
const EVENTS = 100

/** The tables of the ids of deletions, with their columns. */
const ID_TABLES = {
  user: ['deletion_users', 'user_id'],
  anonymous: ['deletion_anonymous_ids', 'anonymous_id'],
} as const

/** Where a slice begins: at a user, or for all anonymous ids together, after the event with this seq. */
type Place = PurgePlace | { readonly anonymousAfter: number }

const BEGINNING: PurgePlace = { user: 0, column: 0, afterSeq: 0 }
const ANONYMOUS_BEGINNING: Place = { anonymousAfter: 0 }

function placeOf({ userIds, cursor }: Purge): Place {
  if (cursor !== undefined) return JSON.parse(cursor) as Place
  return userIds.length > 0 ? BEGINNING : ANONYMOUS_BEGINNING
}

function deletionOf(row: Row): Deletion {
  return {
    ...(JSON.parse(String(row['document'])) as DeletionRequest),
    step: row['step'] as DeletionStep,
    startedAt: timeOrNull(row['started_at']),
    suppressedAt: timeOrNull(row['suppressed_at']),
    purgedAt: timeOrNull(row['purged_at']),
    notifiedAt: timeOrNull(row['notified_at']),
    purged: {
      events: Number(row['purged_events']),
      anonymousEvents: Number(row['purged_anonymous_events']),
      deliveries: Number(row['purged_deliveries']),
    },
  }
}
