import type { Json } from '@hookline/protocol'
import { parsedJson } from '../rows.ts'

/** A trait as it is stored. A removed one has the value `null`, so that an older event does not bring it back. */
export type StoredTrait = readonly [
  value: Json,
  at: number,
  receivedAt: number,
  eventId: string,
  sourceId: string,
  aheadMs?: number,
]

export type StoredTraits = Record<string, StoredTrait>

/** The traits in a column. Without a prototype, so that a trait named __proto__ is one like any other. */
export function traitsIn(stored: string | null | undefined): StoredTraits {
  const traits = Object.create(null) as StoredTraits
  // A damaged text may be JSON of another kind.
  for (const [name, trait] of Object.entries(parsedJson(stored) ?? {}))
    if (Array.isArray(trait)) traits[name] = trait as unknown as StoredTrait
  return traits
}

/** The traits of several identities together: for each, the newest event wins. */
export function mergedTraits(all: readonly StoredTraits[]): StoredTraits {
  const [first, ...others] = all
  if (first !== undefined && others.length === 0) return first
  const merged = Object.create(null) as StoredTraits
  for (const traits of all)
    for (const [name, trait] of Object.entries(traits))
      if (isNewer(trait, merged[name])) merged[name] = trait
  return merged
}

/** Whether the first of two values of a trait wins: the newest event, whatever the order in which they are applied. */
export function isNewer(a: StoredTrait, b: StoredTrait | undefined): boolean {
  if (b === undefined) return true
  if (a[1] !== b[1]) return a[1] > b[1]
  if (a[2] !== b[2]) return a[2] > b[2]
  const [aheadA = 0, aheadB = 0] = [a[5], b[5]]
  return aheadA === aheadB ? a[3] > b[3] : aheadA > aheadB
}
