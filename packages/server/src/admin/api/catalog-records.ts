import type { Computation, Destination, Source } from '@hookline/protocol'
import { type Catalog, CatalogConflictError } from '../../backend/catalog.ts'
import type { LaneId } from '../../backend/deliveries.ts'
import { Problem, requireFound } from '../problems/problem.ts'

const MAX_TRIES = 10

/** @throws {Problem} `not_found` */
export function requireSource({ current }: Pick<Catalog, 'current'>, id: string): Source {
  return requireFound(current.sources.get(id), 'No source has this id.')
}

/** @throws {Problem} `not_found` */
export function requireDestination({ current }: Pick<Catalog, 'current'>, id: string): Destination {
  return requireFound(current.destinations.get(id), 'No destination has this id.')
}

/** The lanes of the current webhooks. */
export function lanesOf({ id: destinationId, settings }: Destination): readonly LaneId[] {
  return settings.webhooks.map(({ url }) => ({ destinationId, url }))
}

export function entityTag(version: number): string {
  return `"${version}"`
}

/** Checks If-Match (RFC 9110 §13.1.1). @throws {Problem} `version_mismatch` if it excludes this version */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(entityTag(version))) throw new Problem('version_mismatch')
}

export type CatalogRecord = Source | Destination | Computation

interface RecordChange<T> {
  /** Returns the current record. @throws {Problem} if it does not exist */
  readonly read: () => T
  /** Whether the record already has the change: then it is left unchanged, and If-Match is ignored. Absent: never. */
  readonly isDone?: ((current: T) => boolean) | undefined
  /** Returns the changed record. Called again after a conflict with another change. */
  readonly change: (current: T) => T
  /** Replaces `previous`. Without a change, both are the same record. */
  readonly put: (next: T, previous: T) => Promise<void>
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly ifMatch: string | undefined
}

/**
 * Changes a record of the catalog and returns its new version.
 * @throws {Problem} `version_mismatch` if If-Match excludes the current version, `conflict` after ten lost races
 */
export async function changeRecord<T extends CatalogRecord>(request: RecordChange<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = request.read()
    const next = request.isDone?.(current) ? current : nextRecord(current, request)
    try {
      await request.put(next, current)
      return next
    } catch (error) {
      if (!(error instanceof CatalogConflictError)) throw error
    }
  }
  throw new Problem('conflict', { headers: { 'retry-after': '1' } })
}

function nextRecord<T extends CatalogRecord>(current: T, request: RecordChange<T>): T {
  requireMatch(request.ifMatch, current.version)
  const changed = request.change(current)
  return { ...changed, version: current.version + 1, updatedAt: request.now }
}
