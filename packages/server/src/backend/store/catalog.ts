import type { Computation, Destination, Source } from '@hookline/protocol'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { AuditEntry } from '../audit.ts'
import {
  type Catalog,
  type CatalogChange,
  CatalogConflictError,
  type CatalogRecords,
  CatalogReplica,
  type CatalogSnapshot,
  snapshotOf,
} from '../catalog.ts'
import type { SharedChange } from '../threads.ts'
import { removeNamesIn } from './event-names.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

type Kind = 'source' | 'destination' | 'computation'

/** The field of a record that holds its secrets. */
const SECRETS: { readonly [K in Kind]?: string } = { source: 'fields', destination: 'settings' }

interface CatalogRow {
  readonly kind: Kind
  readonly id: string
  readonly version: number
  readonly source_id: string | null
  /** JSON, without the field in `SECRETS`. */
  readonly document: string
  /** The field in `SECRETS`, sealed under the record's id; `null` without one. */
  readonly settings: string | null
}

export type SealedRecord = Pick<CatalogRow, 'kind' | 'document' | 'settings'>

/** A row as a refresh reads it. The document is `null` if this node has read it. */
interface NumberedRow extends Pick<CatalogRow, 'kind' | 'id' | 'settings'> {
  readonly number: number
  readonly document: string | null
}

interface Entry {
  readonly kind: Kind
  readonly record: Source | Destination | Computation
  /** The number of its last change; 0 until it is read. */
  readonly number: number
}

interface CatalogOptions {
  readonly store: Store
  readonly box: SecretBox
  /** The other threads of this process with a catalog in memory. */
  readonly threads?: {
    /** Called before destinations are put. */
    prepare(destinations: readonly Destination[]): Promise<void>
    publish(change: SharedChange): Promise<void>
  }
}

/** The catalog in memory and in its table. After each change, every node reads the new records and updates its threads. */
export class StoredCatalog extends CatalogReplica implements Catalog {
  readonly #options: CatalogOptions
  readonly #refreshes = new SharedRefresh(() => this.#read())
  #entries: ReadonlyMap<string, Entry> = new Map()
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
      // The caller reads the record again: another node may have just changed it.
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

  /** Applies a durable change in memory. If only the read fails, the call succeeds: the next read finds the change. */
  async #follow({ put, removed }: CatalogChange): Promise<void> {
    await this.#refreshes.run().catch(() => {
      const entries = new Map(this.#entries)
      for (const id of removed) entries.delete(id)
      for (const entry of entriesOf(put)) entries.set(entry.record.id, entry)
      return this.#apply(entries)
    })
    await this.#options.store.spread('catalog')
  }

  async #read(): Promise<void> {
    let rows = await this.#rowsAfter(this.#reached)
    // A restored database reuses numbers.
    if (!rows.every((row) => row.document !== null || this.#has(row)))
      rows = await this.#rowsAfter(0)
    const entries = new Map(rows.map((row) => [row.id, this.#entryOf(row)]))
    this.#reached = rows.reduce((max, { number }) => Math.max(max, number), 0)
    await this.#apply(entries)
  }

  /** In one statement, for a consistent snapshot. */
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

  /** Applies the changes, here and in the other threads. */
  async #apply(entries: ReadonlyMap<string, Entry>): Promise<void> {
    const before = this.#entries
    this.#entries = entries
    const changed = [...entries.values()].filter((entry) => before.get(entry.record.id) !== entry)
    const removed = [...before.keys()].filter((id) => !entries.has(id))
    if (changed.length === 0 && removed.length === 0) return
    const change = { put: recordsOf(changed), removed }
    this.apply(change)
    await this.#options.threads?.publish({ kind: 'catalog', change })
  }
}

export function catalogIn(rows: readonly SealedRecord[], box: SecretBox): CatalogSnapshot {
  const records = rows.map((row) => ({ kind: row.kind, record: openRecord(row, box) }))
  const { sources, destinations, computations } = recordsOf(records)
  return snapshotOf(sources, destinations, computations)
}

/** @throws if the box lacks the key of the settings, or the row was altered */
export function openRecord(
  { kind, document, settings }: SealedRecord,
  box: SecretBox,
): Entry['record'] {
  const record = JSON.parse(document) as Entry['record']
  const secret = SECRETS[kind]
  if (settings === null || secret === undefined) return record
  return { ...record, [secret]: JSON.parse(box.open(settings, record.id)) as unknown }
}

function rowOf({ kind, record }: Entry, box: SecretBox): CatalogRow {
  const { id, version } = record
  const { [SECRETS[kind] ?? '']: secret, ...rest } = record as unknown as Record<string, unknown>
  return {
    kind,
    id,
    version,
    source_id: kind === 'destination' ? (record as Destination).sourceId : null,
    document: JSON.stringify(rest),
    settings: secret === undefined ? null : box.seal(JSON.stringify(secret), id),
  }
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

function conflictOf(rows: readonly CatalogRow[]): CatalogConflictError {
  const [first] = rows
  return new CatalogConflictError(
    rows.length === 1
      ? `${first!.id} has changed since version ${first!.version - 1}.`
      : `One of ${rows.length} records has changed.`,
  )
}

/** Inserts records of version 1 and replaces version − 1 of the others: all or none. Resolves to whether it did. */
export async function putRecords(tx: Tx, rows: readonly CatalogRow[]): Promise<boolean> {
  const input = tx.dialect.rows(rows, {
    text: ['kind', 'id', 'source_id', 'document', 'settings'],
    number: ['version'],
  })
  const outdated = await tx.all(sql`
    SELECT 1 FROM ${input} LEFT JOIN catalog AS kept ON kept.kind = input.kind AND kept.id = input.id
    WHERE input.version <> coalesce(kept.version, 0) + 1`)
  if (outdated.length > 0) return false
  await tx.run(sql`
    INSERT INTO catalog (kind, id, version, number, source_id, document, settings)
    SELECT kind, id, version, ${tx.changeNumber}, source_id, document, settings FROM ${input} WHERE true
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, number = excluded.number,
      source_id = excluded.source_id, document = excluded.document, settings = excluded.settings`)
  return true
}

/** Removes a record, if it exists. With a source, removes its event names and its destinations, even those not read yet. */
export async function removeRecord(
  tx: Tx,
  { kind, id }: Pick<CatalogRow, 'kind' | 'id'>,
): Promise<void> {
  await tx.run(sql`DELETE FROM catalog WHERE (kind = ${kind} AND id = ${id}) OR source_id = ${id}`)
  if (kind === 'source') await removeNamesIn(tx, id)
}
