import type { Destination, Source } from '@hookline/protocol'

/** All configuration at one moment. Replaced whole at each change, never altered. */
export interface CatalogSnapshot {
  readonly sources: ReadonlyMap<string, Source>
  readonly destinations: ReadonlyMap<string, Destination>
  /** The source a write key belongs to, enabled or not. */
  readonly sourceByWriteKey: ReadonlyMap<string, Source>
  /** The destinations of a source, enabled or not, oldest first. */
  readonly destinationsBySource: ReadonlyMap<string, readonly Destination[]>
}

/** Someone else changed the record since the version this change was made from. Read it again and decide anew. */
export class CatalogConflict extends Error {
  override readonly name = 'CatalogConflict'
}

/**
 * Sources with their write keys, and destinations: small, wholly in memory, the same on every node within 1 s.
 * A put is durable, and seen in `current` of this node, when it resolves. It makes the record when
 * `version` is 1, else replaces version − 1, and rejects with `CatalogConflict` if that is not what is there.
 */
export interface Catalog {
  readonly current: CatalogSnapshot
  putSource(source: Source): Promise<void>
  /** Removes the source and its destinations. Removing what is not there is no error. */
  removeSource(id: string): Promise<void>
  putDestination(destination: Destination): Promise<void>
  /** Removing what is not there is no error. */
  removeDestination(id: string): Promise<void>
  /** Calls `listener` after each change of `current`, whoever made it. Returns the way to stop. */
  onChange(listener: () => void): () => void
}
