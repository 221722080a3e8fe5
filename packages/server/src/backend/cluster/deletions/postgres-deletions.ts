import type { Carried } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import type { AuditEntry } from '../../audit.ts'
import type {
  DeletedIds,
  Deletion,
  DeletionRequest,
  Deletions,
  DeletionStep,
  Purge,
  Subject,
} from '../../deletions.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../../store/rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import { advanceDeletion, createDeletion, deletionOf, type DeletionRow } from './deletion-rows.ts'
import { PurgedIds } from './purged-ids.ts'
import { purgedIdsOf, PurgedUsers } from './purged-users.ts'
import { PurgeSlices } from './purge-slices.ts'

export interface PostgresDeletionsOptions {
  readonly postgres: Postgres
  readonly audit: AuditWriter
  readonly feed: ChangeFeed
  /** Leaves no byte of what was removed; see `Deletions.erase`. */
  readonly erase: (signal: AbortSignal) => Promise<boolean>
  /** The position of the last event that was appended to the log, by any node. */
  readonly lastPosition: () => Promise<number>
  /** Whether the archive has refused an event, because a purge covers it that this node may not know of. */
  readonly isRefused: (carried: Carried) => boolean
  /** The position of an event in the log; `undefined` where this node does not know it. */
  readonly positionOf: (carried: Carried) => number | undefined
}

/** Deletions on the tables `deletions` and `deletion_ids`, and the purge of users. */
export class PostgresDeletions implements Deletions {
  readonly #options: PostgresDeletionsOptions
  readonly #users: PurgedUsers
  readonly #slices: PurgeSlices
  /** The purge that this node has begun last. */
  #begun: { readonly id: string; readonly through: number } | undefined

  private constructor(options: PostgresDeletionsOptions) {
    this.#options = options
    this.#users = new PurgedUsers(options)
    const tell = (transaction: Transaction<unknown>) => options.feed.tell(transaction, 'purges')
    this.#slices = new PurgeSlices({ ...options, tell })
  }

  /** Reads which users were purged recently, and follows the purges of other nodes. */
  static async open(options: PostgresDeletionsOptions): Promise<PostgresDeletions> {
    const deletions = new PostgresDeletions(options)
    const ids = new PurgedIds(options.postgres, deletions.#users)
    await ids.refresh()
    options.feed.on('purges', () => ids.refresh())
    return deletions
  }

  async create(request: DeletionRequest, ids: DeletedIds, audit?: AuditEntry): Promise<void> {
    await this.#options.postgres.write(async (transaction) => {
      await createDeletion(transaction, request, ids)
      await this.#options.audit(transaction, audit)
    })
  }

  async find(id: string): Promise<Deletion | undefined> {
    const [row] = await this.#options.postgres.run(
      sql<DeletionRow>`SELECT * FROM deletions WHERE id = ${toText(id)}`,
    )
    return row && deletionOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Deletion>> {
    const rows = await this.#options.postgres.run(sql<DeletionRow>`
      SELECT * FROM deletions WHERE id < ${toText(cursor)} AND ${isOpen ? sql`step <> 'done'` : sql`TRUE`}
      ORDER BY id DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ id }) => id }, deletionOf)
  }

  async ids(
    id: string,
    kind: Subject['kind'],
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const rows = await this.#options.postgres.run(sql<{ readonly id: string }>`
      SELECT id FROM deletion_ids WHERE deletion_id = ${toText(id)} AND kind = ${kind}
        AND left(id, 500) >= left(${toText(after)}, 500) AND id > ${toText(after)}
      ORDER BY left(id, 500), id LIMIT ${limit}`)
    return rows.map((row) => fromText(row.id))
  }

  async advance(id: string, to: DeletionStep, now: number): Promise<void> {
    // Before the step is recorded, and after every append that has resolved.
    const through = to === 'purge' ? await this.#options.lastPosition() : null
    await this.#options.postgres.write((transaction) =>
      advanceDeletion(transaction, { id, to, now, through }),
    )
    if (to !== 'purge') return
    // It may have begun before.
    const end = await this.#endOf(id)
    if (end !== null) this.#begun = { id, through: end }
  }

  async purge(purge: Purge): Promise<string | null> {
    const { deletionId } = purge
    // At once, where the node knows it: a part that has an event in memory must not send it any more.
    const through =
      this.#begun?.id === deletionId ? this.#begun.through : await this.#endOf(deletionId)
    if (through === null) throw new Error(`The purge of ${deletionId} has not begun.`)
    this.#users.add(purgedIdsOf(subjectsOf(purge), { ...purge, through }))
    const rest = await this.#slices.purge({ ...purge, through })
    // So that no node that can be reached sends an event of the user after the notice.
    if (rest === null) await this.#options.feed.spread('purges')
    return rest
  }

  erase(signal: AbortSignal): Promise<boolean> {
    return this.#options.erase(signal)
  }

  isPurged(carried: Carried): boolean {
    return this.#options.isRefused(carried) || this.#users.has(carried)
  }

  /** The position of the last event that the purge of a deletion may remove; `null` where it has not begun. */
  async #endOf(deletionId: string): Promise<number | null> {
    const [row] = await this.#options.postgres.run(sql<{ readonly purge_through: number | null }>`
      SELECT purge_through FROM deletions WHERE id = ${toText(deletionId)}`)
    return row?.purge_through ?? null
  }
}

function subjectsOf({ userIds, anonymousIds = [] }: Purge): Subject[] {
  return [
    ...userIds.map((id) => ({ kind: 'user' as const, id })),
    ...anonymousIds.map((id) => ({ kind: 'anonymous' as const, id })),
  ]
}
