import type { Computation, Destination, Source } from '@hookline/protocol'
import { isDeepStrictEqual } from 'node:util'

type CatalogRecord = Source | Destination | Computation

/** One record after the import, and before it. */
export interface Planned<T extends CatalogRecord> {
  readonly next: T
  readonly before: T | undefined
  /** The fields that differ. */
  readonly fields: readonly string[]
}

const BOOKKEEPING = ['createdAt', 'updatedAt', 'version', 'enabledChangedAt']

/** The record after the import, compared with the one before it. */
export function planned<T extends CatalogRecord>(next: T, before: T | undefined): Planned<T> {
  const names = Object.keys(next).filter((name) => !BOOKKEEPING.includes(name)) as (keyof T &
    string)[]
  const fields = names.filter((name) => !isDeepStrictEqual(next[name], before?.[name]))
  return { next, before, fields }
}

/** The dates and the version of a record after the import. */
export function dates(before: CatalogRecord | undefined, now: number) {
  const { createdAt = now, version = 0 } = before ?? {}
  return { createdAt, updatedAt: now, version: version + 1 }
}
