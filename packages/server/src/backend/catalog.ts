import type { AcceptedEvent, Computation, Destination, Source } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'

/** An immutable snapshot of all sources, destinations and computations. */
export interface CatalogSnapshot {
  readonly sources: ReadonlyMap<string, Source>
  readonly destinations: ReadonlyMap<string, Destination>
  /** The source of each write key, enabled or not. */
  readonly sourceByWriteKey: ReadonlyMap<string, Source>
  /** The destinations of a source, enabled or not, oldest first. */
  readonly destinationsBySource: ReadonlyMap<string, readonly Destination[]>
  readonly computations: ReadonlyMap<string, Computation>
}

/** The record has changed since it was read: read it again, and repeat the change. */
export class CatalogConflictError extends Error {
  override readonly name = 'CatalogConflictError'
}

export interface CatalogRecords {
  readonly sources: readonly Source[]
  readonly destinations: readonly Destination[]
  readonly computations?: readonly Computation[]
}

/** Records to put, and ids of any kind to remove. */
export interface CatalogChange {
  readonly put: CatalogRecords
  readonly removed: readonly string[]
}

/**
 * Sources with their write keys, destinations, audiences and computed traits, all in memory, the same on every node within 1 s.
 *
 * A put creates the record if `version` is 1; otherwise, it replaces the previous version. It
 * rejects with `CatalogConflictError` if another version is stored, even on a retry of a put that
 * succeeded. Puts and removals are durable, and visible in `current` of every reachable node, when
 * they resolve. They wait half a second for an unreachable node. Removals are idempotent.
 */
export interface Catalog {
  readonly current: CatalogSnapshot
  putSource(source: Source, audit?: AuditEntry): Promise<void>
  removeSource(id: string, audit?: AuditEntry): Promise<void>
  putDestination(destination: Destination, audit?: AuditEntry): Promise<void>
  removeDestination(id: string, audit?: AuditEntry): Promise<void>
  putComputation(computation: Computation, audit?: AuditEntry): Promise<void>
  removeComputation(id: string, audit?: AuditEntry): Promise<void>
  putAll(records: CatalogRecords, audit?: AuditEntry): Promise<void>
  /**
   * Calls `listener` after each change to `current`, made on any node. Returns a function that
   * removes the listener.
   */
  onChange(listener: () => void): () => void
}

export type FollowedCatalog = Pick<Catalog, 'current' | 'onChange' | 'putDestination'>

/**
 * When write keys were last used, so that operators can see that an old key is unused. Kept in
 * memory.
 */
export interface KeyUses {
  /** Accurate to a minute; `undefined` for an unused key. */
  lastUsedAt(key: string): number | undefined
  /** Visible in `lastUsedAt` of this node immediately; durable when it resolves. */
  mark(key: string, at: number): Promise<void>
}

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

export function withChange(
  current: CatalogSnapshot,
  { put, removed }: CatalogChange,
): CatalogSnapshot {
  const { sources, destinations, computations = [] } = put
  return snapshotOf(
    replaceRecord(current.sources, sources, removed),
    replaceRecord(current.destinations, destinations, removed),
    replaceRecord(current.computations, computations, removed),
  )
}

function replaceRecord<T extends { readonly id: string }>(
  kept: ReadonlyMap<string, T>,
  put: readonly T[],
  removed: readonly string[],
): Iterable<T> {
  const all = new Map([...kept, ...put.map((each) => [each.id, each] as const)])
  for (const id of removed) all.delete(id)
  return all.values()
}

/**
 * The destinations of an event, enabled or not: its source's, or, for a computed event, the ones it
 * lists that still exist.
 */
export function destinationsOf(
  { sourceId, origin }: Pick<AcceptedEvent, 'sourceId' | 'origin'>,
  { destinations, destinationsBySource }: CatalogSnapshot,
): readonly Destination[] {
  if (origin === undefined) return destinationsBySource.get(sourceId) ?? []
  return origin.destinationIds.flatMap((id) => destinations.get(id) ?? [])
}

function byAge(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
