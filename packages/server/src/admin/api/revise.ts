import { CatalogConflict } from '../../backend/catalog.ts'
import { requireMatch } from './entity-tag.ts'
import { Problem } from '../problems/problem.ts'

const MOST_TRIES = 10

interface Versioned {
  readonly version: number
  readonly updatedAt: number
}

interface Revision<T> {
  /** The record as it is now. @throws {Problem} where it is not there */
  readonly read: () => T
  /** The record as it shall be. Called again where someone else was faster. */
  readonly change: (current: T) => T
  readonly put: (next: T) => Promise<void>
  readonly now: number
  /** The header If-Match: with it, only the version it names is changed. */
  readonly ifMatch: string | undefined
}

/**
 * Changes a record of the catalog, and returns it as it then is.
 * @throws {Problem} `version_mismatch` where If-Match names another version, `conflict` where others
 *   keep changing it
 */
export async function revise<T extends Versioned>(revision: Revision<T>): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const current = revision.read()
    requireMatch(revision.ifMatch, current.version)
    const changed = revision.change(current)
    const next = { ...changed, version: current.version + 1, updatedAt: revision.now }
    try {
      await revision.put(next)
      return next
    } catch (error) {
      if (!(error instanceof CatalogConflict)) throw error
    }
  }
  throw new Problem('conflict', { headers: { 'retry-after': '1' } })
}
