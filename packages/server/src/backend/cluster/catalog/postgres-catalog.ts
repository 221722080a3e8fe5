import type { Computation, Destination, Source } from '@hookline/protocol'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import {
  type Catalog,
  type CatalogChange,
  CatalogConflict,
  type CatalogRecords,
  type CatalogSnapshot,
} from '../../catalog.ts'
import type { AuditWriter } from '../postgres/postgres-store.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { type CatalogRecord, catalogRecordsOf } from './catalog-record.ts'
import { CatalogReplica } from './catalog-replica.ts'
import { putRecords, removeRecords } from './write-catalog.ts'

export interface PostgresCatalogOptions {
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly feed: ChangeFeed
  readonly audit: AuditWriter
}

/** Sources, destinations and computations in the table `catalog`. Each node has all of them in memory, and follows the others. */
export class PostgresCatalog implements Catalog {
  readonly #options: PostgresCatalogOptions
  readonly #replica: CatalogReplica

  private constructor(options: PostgresCatalogOptions) {
    this.#options = options
    this.#replica = new CatalogReplica(options.postgres, options.box)
  }

  /** Reads everything. */
  static async open(options: PostgresCatalogOptions): Promise<PostgresCatalog> {
    const opened = new PostgresCatalog(options)
    await opened.#replica.refresh()
    options.feed.on('catalog', () => opened.#replica.refresh())
    return opened
  }

  get current(): CatalogSnapshot {
    return this.#replica.current
  }

  putSource(source: Source, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [source], destinations: [] }, audit)
  }

  putDestination(destination: Destination, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [], destinations: [destination] }, audit)
  }

  putComputation(computation: Computation, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [], destinations: [], computations: [computation] }, audit)
  }

  async putAll(put: CatalogRecords, audit?: AuditEntry): Promise<void> {
    const { postgres, box, feed, audit: writeAudit } = this.#options
    const records = catalogRecordsOf(put, box)
    try {
      await postgres.write(async (transaction) => {
        const number = await feed.tell(transaction, 'catalog')
        if (!(await putRecords(transaction, records, number))) throw conflictOf(records)
        await writeAudit(transaction, audit)
      })
    } catch (error) {
      // The caller reads the record again, which another node may have changed a moment ago.
      if (error instanceof CatalogConflict) await this.#replica.refresh()
      throw error
    }
    await this.#show({ put, removed: [] })
  }

  removeSource(id: string, audit?: AuditEntry): Promise<void> {
    const orphans = this.current.destinationsBySource.get(id) ?? []
    return this.#remove({ kind: 'source', id }, [id, ...orphans.map((each) => each.id)], audit)
  }

  removeDestination(id: string, audit?: AuditEntry): Promise<void> {
    return this.#remove({ kind: 'destination', id }, [id], audit)
  }

  removeComputation(id: string, audit?: AuditEntry): Promise<void> {
    return this.#remove({ kind: 'computation', id }, [id], audit)
  }

  onChange(listener: () => void): () => void {
    return this.#replica.onChange(listener)
  }

  async #remove(
    record: Pick<CatalogRecord, 'kind' | 'id'>,
    removed: readonly string[],
    audit: AuditEntry | undefined,
  ): Promise<void> {
    const { postgres, feed, audit: writeAudit } = this.#options
    await postgres.write(async (transaction) => {
      // First: a destination that another node puts now has to be seen, where its source is removed.
      await feed.tell(transaction, 'catalog')
      await removeRecords(transaction, record)
      await writeAudit(transaction, audit)
    })
    await this.#show({ put: { sources: [], destinations: [] }, removed })
  }

  async #show(change: CatalogChange): Promise<void> {
    // It is durable, so the call does not fail where only the read does. The feed reads again.
    await this.#replica.refresh().catch(() => this.#replica.apply(change))
    await this.#options.feed.spread('catalog')
  }
}

function conflictOf(records: readonly CatalogRecord[]): CatalogConflict {
  const [first] = records
  return new CatalogConflict(
    records.length === 1
      ? `${first!.id} has changed since version ${first!.version - 1}.`
      : `One of ${records.length} records has changed.`,
  )
}
