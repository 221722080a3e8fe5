import type { Computation, Destination, Source } from '@hookline/protocol'
import { sql } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { type CatalogChange, type CatalogSnapshot, snapshotOf, withChange } from '../../catalog.ts'
import { SharedRefresh } from '../../../util/workers/shared-refresh.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { type CatalogKind, openRecord } from './catalog-record.ts'

interface Row {
  readonly kind: CatalogKind
  readonly id: string
  readonly number: number
  /** `null` where this node has read the record before. */
  readonly document: string | null
  readonly settings: string | null
}

interface Entry {
  readonly kind: CatalogKind
  readonly number: number
  readonly record: Source | Destination | Computation
}

type Entries = ReadonlyMap<string, Entry>

/** The catalog in the memory of this node. A refresh reads the numbers of all records, and the records that have changed. */
export class CatalogReplica {
  readonly #postgres: Postgres
  readonly #box: SecretBox
  readonly #refreshes = new SharedRefresh(() => this.#read())
  readonly #listeners = new Set<() => void>()
  #entries: Entries = new Map()
  #reached = 0
  #current: CatalogSnapshot = snapshotOf([], [], [])

  constructor(postgres: Postgres, box: SecretBox) {
    this.#postgres = postgres
    this.#box = box
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Finds every change that was committed before the call. */
  refresh(): Promise<void> {
    return this.#refreshes.run()
  }

  /** Shows a change that was committed, and that a refresh could not read. The next one can. */
  apply(change: CatalogChange): void {
    this.#show(withChange(this.#current, change))
  }

  async #read(): Promise<void> {
    let rows = await this.#rowsAfter(this.#reached)
    // Numbers come again in a database that was put back.
    if (!rows.every((row) => row.document !== null || this.#has(row)))
      rows = await this.#rowsAfter(0)
    const entries = new Map(rows.map((row) => [keyOf(row), this.#entryOf(row)]))
    const before = this.#entries
    this.#entries = entries
    this.#reached = rows.reduce((most, { number }) => Math.max(most, number), 0)
    const isSame = [...entries].every(([key, entry]) => before.get(key) === entry)
    if (!isSame || entries.size !== before.size) this.#show(snapshotIn(entries))
  }

  /** All at one moment. */
  #rowsAfter(number: number): Promise<Row[]> {
    return this.#postgres.run(sql<Row>`
      SELECT kind, id, number, CASE WHEN number > ${number} THEN document END AS document,
        CASE WHEN number > ${number} THEN settings END AS settings
      FROM catalog`)
  }

  #has(row: Row): boolean {
    return this.#entries.get(keyOf(row))?.number === row.number
  }

  #entryOf(row: Row): Entry {
    if (this.#has(row)) return this.#entries.get(keyOf(row))!
    const { kind, number, document, settings } = row
    return { kind, number, record: openRecord({ document: document!, settings }, this.#box) }
  }

  #show(snapshot: CatalogSnapshot): void {
    this.#current = snapshot
    for (const listener of this.#listeners) listener()
  }
}

function keyOf({ kind, id }: Row): string {
  return `${kind} ${id}`
}

function snapshotIn(entries: Entries): CatalogSnapshot {
  const recordsOf = <T>(kind: CatalogKind): T[] =>
    [...entries.values()].filter((entry) => entry.kind === kind).map(({ record }) => record as T)
  return snapshotOf(
    recordsOf<Source>('source'),
    recordsOf<Destination>('destination'),
    recordsOf<Computation>('computation'),
  )
}
