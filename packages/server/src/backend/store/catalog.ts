import type { Computation, Destination, Source, WebhooksSettings } from '@hookline/protocol'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { AuditEntry } from '../audit.ts'
import {
  type Catalog,
  type CatalogChange,
  CatalogConflict,
  type CatalogRecords,
  CatalogReplica,
  type CatalogSnapshot,
  snapshotOf,
} from '../catalog.ts'
import type { SharedChange } from '../threads.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

type Kind = 'source' | 'destination' | 'computation'

/** A record as the table `catalog` has it. */
interface Row {
  readonly kind: Kind
  readonly id: string
  readonly version: number
  /** Of a destination. */
  readonly source_id: string | null
  /** JSON, without the settings of a destination. */
  readonly document: string
  /** These settings, which contain its secrets, sealed under its id. */
  readonly settings: string | null
}

/** The columns of a row that its record is made from. */
export type SealedRecord = Pick<Row, 'kind' | 'document' | 'settings'>

/** The columns that a refresh reads. The document is `null` if this node has read it before. */
interface NumberedRow extends Pick<Row, 'kind' | 'id' | 'settings'> {
  readonly number: number
  readonly document: string | null
}

/** A record in memory. */
interface Entry {
  readonly kind: Kind
  readonly record: Source | Destination | Computation
  /** That of the change that put it; 0 until it is read. */
  readonly number: number
}

/** The other threads of this process, which have the catalog in memory. */
interface CatalogThreads {
  /** Destinations will be put. */
  prepare(destinations: readonly Destination[]): Promise<void>
  tell(change: SharedChange): Promise<void>
}

interface CatalogOptions {
  readonly store: Store
  readonly box: SecretBox
  readonly threads?: CatalogThreads
}

/**
 * The catalog in the memory of this node, and in the table `catalog`. After each change, on whichever node it was made, the node
 * reads the numbers of all records, and the records that are new. The other threads are told what differs.
 */
export class StoredCatalog extends CatalogReplica implements Catalog {
  readonly #options: CatalogOptions
  readonly #refreshes = new SharedRefresh(() => this.#read())
  #entries: ReadonlyMap<string, Entry> = new Map()
  /** The largest number of a change that was read. */
  #reached = 0

  private constructor(options: CatalogOptions) {
    super(snapshotOf([], [], []))
    this.#options = options
  }

  static async open(options: CatalogOptions): Promise<StoredCatalog> {
    const catalog = new StoredCatalog(options)
    await catalog.#read()
    options.store.follow('catalog', () => catalog.#refreshes.run())
    return catalog
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
    const { store, box, threads } = this.#options
    const rows = entriesOf(put).map((entry) => rowOf(entry, box))
    await threads?.prepare(put.destinations)
    const arePut = await store.write(putRecords, rows, { audit, changes: 'catalog' })
    if (!arePut) {
      // The caller reads the record again, which another node may have changed a moment ago.
      await this.#refreshes.run()
      throw conflictOf(rows)
    }
    await this.#follow({ put, removed: [] })
  }

  removeSource(id: string, audit?: AuditEntry): Promise<void> {
    return this.#remove('source', id, audit)
  }

  removeDestination(id: string, audit?: AuditEntry): Promise<void> {
    return this.#remove('destination', id, audit)
  }

  removeComputation(id: string, audit?: AuditEntry): Promise<void> {
    return this.#remove('computation', id, audit)
  }

  async #remove(kind: Kind, id: string, audit: AuditEntry | undefined): Promise<void> {
    const orphans = this.current.destinationsBySource.get(id) ?? []
    await this.#options.store.write(removeRecord, { kind, id }, { audit, changes: 'catalog' })
    const removed = [id, ...orphans.map((each) => each.id)]
    await this.#follow({ put: { sources: [], destinations: [] }, removed })
  }

  /** Shows a change that is durable, so the call does not fail if only the read does: the next read finds it. */
  async #follow({ put, removed }: CatalogChange): Promise<void> {
    await this.#refreshes.run().catch(() => {
      const entries = new Map(this.#entries)
      for (const id of removed) entries.delete(id)
      for (const entry of entriesOf(put)) entries.set(entry.record.id, entry)
      return this.#show(entries)
    })
    await this.#options.store.spread('catalog')
  }

  async #read(): Promise<void> {
    let rows = await this.#rowsAfter(this.#reached)
    // A database that was restored uses numbers again.
    if (!rows.every((row) => row.document !== null || this.#has(row)))
      rows = await this.#rowsAfter(0)
    const entries = new Map(rows.map((row) => [row.id, this.#entryOf(row)]))
    this.#reached = rows.reduce((max, { number }) => Math.max(max, number), 0)
    await this.#show(entries)
  }

  /** All of one moment. */
  #rowsAfter(number: number): Promise<NumberedRow[]> {
    return this.#options.store.lookUp(sql<NumberedRow>`
      SELECT kind, id, number, CASE WHEN number > ${number} THEN document END AS document,
        CASE WHEN number > ${number} THEN settings END AS settings
      FROM catalog`)
  }

  #has({ id, number }: NumberedRow): boolean {
    return this.#entries.get(id)?.number === number
  }

  #entryOf(row: NumberedRow): Entry {
    if (this.#has(row)) return this.#entries.get(row.id)!
    const { kind, number, document, settings } = row
    const record = openRecord({ kind, document: document!, settings }, this.#options.box)
    return { kind, number, record }
  }

  /** Applies the difference to the entries before, here and in the other threads. */
  async #show(entries: ReadonlyMap<string, Entry>): Promise<void> {
    const before = this.#entries
    this.#entries = entries
    const put = [...entries.values()].filter((entry) => before.get(entry.record.id) !== entry)
    const removed = [...before.keys()].filter((id) => !entries.has(id))
    if (put.length === 0 && removed.length === 0) return
    const change = { put: recordsOf(put), removed }
    this.apply(change)
    await this.#options.threads?.tell({ kind: 'catalog', change })
  }
}

/** The snapshot of all rows of the table. */
export function catalogIn(rows: readonly SealedRecord[], box: SecretBox): CatalogSnapshot {
  const records = rows.map((row) => ({ kind: row.kind, record: openRecord(row, box) }))
  const { sources, destinations, computations } = recordsOf(records)
  return snapshotOf(sources, destinations, computations)
}

/** @throws if the settings were sealed with a key that is not in the box, or if the row was altered */
export function openRecord(
  { kind, document, settings }: SealedRecord,
  box: SecretBox,
): Entry['record'] {
  const record = JSON.parse(document) as Entry['record']
  if (kind !== 'destination') return record
  const opened = JSON.parse(box.open(settings!, record.id)) as WebhooksSettings
  return { ...(record as Destination), settings: opened }
}

function rowOf({ kind, record }: Entry, box: SecretBox): Row {
  const { id, version } = record
  if (kind !== 'destination') {
    const document = JSON.stringify(record)
    return { kind, id, version, source_id: null, document, settings: null }
  }
  const { settings, ...rest } = record as Destination
  const document = JSON.stringify(rest)
  const sealed = box.seal(JSON.stringify(settings), id)
  return { kind, id, version, source_id: rest.sourceId, document, settings: sealed }
}

function entriesOf({ sources, destinations, computations = [] }: CatalogRecords): Entry[] {
  const entryOf = (kind: Kind) => (record: Entry['record']) => ({ kind, record, number: 0 })
  return [
    ...sources.map(entryOf('source')),
    ...destinations.map(entryOf('destination')),
    ...computations.map(entryOf('computation')),
  ]
}

function recordsOf(entries: readonly Omit<Entry, 'number'>[]): Required<CatalogRecords> {
  const recordsOfKind = <T>(kind: Kind): T[] =>
    entries.filter((entry) => entry.kind === kind).map(({ record }) => record as T)
  return {
    sources: recordsOfKind<Source>('source'),
    destinations: recordsOfKind<Destination>('destination'),
    computations: recordsOfKind<Computation>('computation'),
  }
}

function conflictOf(rows: readonly Row[]): CatalogConflict {
  const [first] = rows
  return new CatalogConflict(
    rows.length === 1
      ? `${first!.id} has changed since version ${first!.version - 1}.`
      : `One of ${rows.length} records has changed.`,
  )
}

/** Inserts records of version 1, and replaces the version before of the others: all or none. Resolves to whether it did. */
export async function putRecords(tx: Tx, rows: readonly Row[]): Promise<boolean> {
  const given = tx.dialect.given({
    kind: ['text', rows.map(({ kind }) => kind)],
    id: ['text', rows.map(({ id }) => id)],
    version: ['number', rows.map(({ version }) => version)],
    source_id: ['text', rows.map((row) => row.source_id)],
    document: ['text', rows.map(({ document }) => document)],
    settings: ['text', rows.map(({ settings }) => settings)],
  })
  const outdated = await tx.all(sql`
    SELECT 1 FROM ${given} LEFT JOIN catalog AS kept ON kept.kind = given.kind AND kept.id = given.id
    WHERE given.version <> coalesce(kept.version, 0) + 1`)
  if (outdated.length > 0) return false
  await tx.run(sql`
    INSERT INTO catalog (kind, id, version, number, source_id, document, settings)
    SELECT kind, id, version, ${tx.changeNumber}, source_id, document, settings FROM ${given} WHERE true
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, number = excluded.number,
      source_id = excluded.source_id, document = excluded.document, settings = excluded.settings`)
  return true
}

/** Removes a record if it exists; with a source its destinations, also those that this node has not read yet. */
export async function removeRecord(tx: Tx, { kind, id }: Pick<Row, 'kind' | 'id'>): Promise<void> {
  await tx.run(sql`DELETE FROM catalog WHERE (kind = ${kind} AND id = ${id}) OR source_id = ${id}`)
}
