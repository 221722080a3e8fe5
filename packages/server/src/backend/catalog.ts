import type { AcceptedEvent, Computation, Destination, Source } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'

/** All sources and destinations at one moment. A change replaces the snapshot; it never alters one. */
export interface CatalogSnapshot {
  readonly sources: ReadonlyMap<string, Source>
  readonly destinations: ReadonlyMap<string, Destination>
  /** The source that a write key belongs to, enabled or not. */
  readonly sourceByWriteKey: ReadonlyMap<string, Source>
  /** The destinations of a source, enabled or not, oldest first. */
  readonly destinationsBySource: ReadonlyMap<string, readonly Destination[]>
  /** Audiences and computed traits, oldest first. */
  readonly computations: ReadonlyMap<string, Computation>
}

/** The record has changed since the version that this change was made from. Read it again and decide again. */
export class CatalogConflict extends Error {
  override readonly name = 'CatalogConflict'
}

/** Records to put at once. */
export interface CatalogRecords {
  readonly sources: readonly Source[]
  readonly destinations: readonly Destination[]
  readonly computations?: readonly Computation[]
}

/** What a put or a removal changes. Ids that are removed are of any kind. */
export interface CatalogChange {
  readonly put: CatalogRecords
  readonly removed: readonly string[]
}

/**
 * Sources with their write keys, destinations, audiences and computed traits: few, all in memory, the same on every node within 1 s.
 *
 * A put creates the record where `version` is 1, and otherwise replaces version − 1. It rejects with
 * `CatalogConflict` where the kept version is another one, so a put that is repeated after it succeeded rejects.
 * A put or a removal is durable, and visible in `current` of every node, when it resolves. It waits for half a second for a node that
 * is cut off.
 */
export interface Catalog {
  readonly current: CatalogSnapshot
  putSource(source: Source, audit?: AuditEntry): Promise<void>
  /** Removes the source and its destinations, all or none. Safe to call twice. */
  removeSource(id: string, audit?: AuditEntry): Promise<void>
  putDestination(destination: Destination, audit?: AuditEntry): Promise<void>
  /** Safe to call twice. */
  removeDestination(id: string, audit?: AuditEntry): Promise<void>
  putComputation(computation: Computation, audit?: AuditEntry): Promise<void>
  /** Safe to call twice. */
  removeComputation(id: string, audit?: AuditEntry): Promise<void>
  /** Puts all of these records or none, each at most once. */
  putAll(records: CatalogRecords, audit?: AuditEntry): Promise<void>
  /**
   * Calls `listener` after each change of `current`, on whichever node it was made. Returns the function that
   * stops it.
   */
  onChange(listener: () => void): () => void
}

/** The catalog as the lanes of deliveries use it, in whichever thread they are. */
export type FollowedCatalog = Pick<Catalog, 'current' | 'onChange' | 'putDestination'>

/** When write keys were last used, so that an operator sees when an old key is no longer in use. All in memory. */
export interface KeyUses {
  /** In milliseconds since the epoch, to the minute; `undefined` for a key that was never used. */
  lastUsedAt(key: string): number | undefined
  /** Visible in `lastUsedAt` of this node at once; durable when it resolves. Safe to call twice. */
  mark(key: string, at: number): Promise<void>
}

/** Makes a snapshot, with its look-up tables. */
export function snapshotOf(
  sources: Iterable<Source>,
  destinations: Iterable<Destination>,
  computations: Iterable<Computation>,
): CatalogSnapshot {
  const byId = new Map([...sources].toSorted(byAge).map((source) => [source.id, source]))
  const all = [...destinations].toSorted(byAge)
  return {
    sources: byId,
    destinations: new Map(all.map((destination) => [destination.id, destination])),
    sourceByWriteKey: new Map(
      [...byId.values()].flatMap((source) => source.writeKeys.map(({ key }) => [key, source])),
    ),
    destinationsBySource: Map.groupBy(all, ({ sourceId }) => sourceId),
    computations: new Map([...computations].toSorted(byAge).map((each) => [each.id, each])),
  }
}

/** A catalog in memory, as the changes that it applies make it. */
export class CatalogReplica implements Pick<Catalog, 'current' | 'onChange'> {
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(current: CatalogSnapshot) {
    this.#current = current
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  apply(change: CatalogChange): void {
    this.#current = withChange(this.#current, change)
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The snapshot after a change. */
export function withChange(
  current: CatalogSnapshot,
  { put, removed }: CatalogChange,
): CatalogSnapshot {
  const { sources, destinations, computations = [] } = put
  return snapshotOf(
    replaced(current.sources, sources, removed),
    replaced(current.destinations, destinations, removed),
    replaced(current.computations, computations, removed),
  )
}

function replaced<T extends { readonly id: string }>(
  kept: ReadonlyMap<string, T>,
  put: readonly T[],
  removed: readonly string[],
): Iterable<T> {
  const all = new Map([...kept, ...put.map((each) => [each.id, each] as const)])
  for (const id of removed) all.delete(id)
  return all.values()
}

/**
 * The destinations that an event is for, enabled or not: those of its source; for a computed event, those that it names
 * and that still exist.
 */
export function destinationsOf(
  { sourceId, origin }: Pick<AcceptedEvent, 'sourceId' | 'origin'>,
  { destinations, destinationsBySource }: CatalogSnapshot,
): readonly Destination[] {
  if (origin === undefined) return destinationsBySource.get(sourceId) ?? []
  return origin.destinationIds.flatMap((id) => destinations.get(id) ?? [])
}

/** Ids sort by the time they were made. */
function byAge(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
