import type { Json } from '@hookline/protocol'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'
import { lockProfiles } from './lock-profiles.ts'

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

/**
 * Which identities have a value of a trait. The first search for a trait makes its index, and `tendTraitIndexes` fills it in slices.
 * It also removes an unused one in slices.
 */
export interface TraitIndex {
  readonly number: number
  readonly name: string
  /** The last identity that it has; `null`: all of them. */
  readonly filled_through: number | null
}

/** Characters of a value that an index has. */
const VALUE_LENGTH = 200
/** How often the last use of an index is written down. */
export const USED_EVERY_MS = 60 * 60 * 1000
/** Indexes of traits at most, beside `email`: each costs writes. */
export const MAX_TRAIT_INDEXES = 20
const FILL_IDENTITIES = 500
const REMOVE_ROWS = 2_000

/** A value as an index has it, without regard to case; `undefined` if nobody searches for it. */
export function indexedValue(value: Json): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  const text = String(value).trim().toLowerCase()
  return Array.from(text.slice(0, VALUE_LENGTH * 2))
    .slice(0, VALUE_LENGTH)
    .join('')
}

/** Keeps the indexes right for identities whose traits have changed. */
export async function indexTraits(tx: Tx, changed: readonly ChangedTraits[]): Promise<void> {
  const indexes = await tx.all(sql<TraitIndex>`SELECT * FROM trait_indexes`)
  if (indexes.length === 0) return
  const ids = changed.map(({ id }) => id)
  await tx.run(sql`
    DELETE FROM trait_values WHERE identity IN (${numbersIn(tx, ids)})`)
  await putValues(tx, indexes, changed)
}

interface ChangedTraits {
  readonly id: number
  readonly traits: StoredTraits
}

async function putValues(
  tx: Tx,
  indexes: readonly TraitIndex[],
  identities: readonly ChangedTraits[],
): Promise<void> {
  const rows = identities.flatMap(({ id, traits }) =>
    indexes.flatMap(({ number, name }) => {
      const value = indexedValue(traits[name]?.[0] ?? null)
      return value === undefined ? [] : [{ number, value, id }]
    }),
  )
  if (rows.length === 0) return
  await tx.run(sql`
    INSERT INTO trait_values (trait, value, identity) SELECT trait, value, identity
    FROM ${tx.dialect.given({
      trait: ['number', rows.map(({ number }) => number)],
      value: ['text', rows.map(({ value }) => value)],
      identity: ['number', rows.map(({ id }) => id)],
    })} WHERE true ON CONFLICT DO NOTHING`)
}

/** The index of a trait, which is made if there is none; `undefined` if there are as many as there may be. */
export async function useTraitIndex(
  tx: Tx,
  { name, now }: { readonly name: string; readonly now: number },
): Promise<TraitIndex | undefined> {
  await lockProfiles(tx)
  const all = await tx.all(sql<TraitIndex>`SELECT * FROM trait_indexes`)
  const known = all.find((index) => index.name === name)
  if (known !== undefined) {
    await tx.run(sql`
      UPDATE trait_indexes SET used_at = ${now}
      WHERE number = ${known.number} AND used_at < ${now - USED_EVERY_MS}`)
    return known
  }
  // Searches for e-mail addresses must not depend on the traits that others search for.
  const others = all.filter((index) => index.name !== 'email')
  if (name !== 'email' && others.length >= MAX_TRAIT_INDEXES) return undefined
  const number = Math.max(0, ...all.map((index) => index.number)) + 1
  await tx.run(sql`
    INSERT INTO trait_indexes (number, name, filled_through, used_at)
    VALUES (${number}, ${name}, 0, ${now})`)
  return { number, name, filled_through: 0 }
}

/** Adds some identities to an index that is not filled yet, and removes some of one that was not used since. */
export async function tendTraitIndexes(tx: Tx, unusedSince: number): Promise<void> {
  // What it reads of traits must still be so when it is written: nobody changes or removes them meanwhile.
  await lockProfiles(tx)
  await fill(tx, unusedSince)
  await removeUnused(tx, unusedSince)
}

async function fill(tx: Tx, unusedSince: number): Promise<void> {
  const [index] = await tx.all(sql<TraitIndex & { readonly filled_through: number }>`
    SELECT * FROM trait_indexes WHERE filled_through IS NOT NULL AND used_at >= ${unusedSince}
    ORDER BY number LIMIT 1 ${tx.dialect.forUpdate}`)
  if (index === undefined) return
  const rows = await tx.all(sql<{ readonly identity: number; readonly traits: string }>`
    SELECT identity, traits FROM identity_traits WHERE identity > ${index.filled_through}
    ORDER BY identity LIMIT ${FILL_IDENTITIES}`)
  const identities = rows.map((row) => ({ id: row.identity, traits: traitsIn(row.traits) }))
  await putValues(tx, [index], identities)
  const through = rows.length < FILL_IDENTITIES ? null : rows.at(-1)!.identity
  await tx.run(sql`
    UPDATE trait_indexes SET filled_through = ${through} WHERE number = ${index.number}`)
}

async function removeUnused(tx: Tx, unusedSince: number): Promise<void> {
  const [index] = await tx.all(sql<TraitIndex>`
    SELECT * FROM trait_indexes WHERE used_at < ${unusedSince} LIMIT 1 ${tx.dialect.forUpdate}`)
  if (index === undefined) return
  const { number } = index
  // Somebody may search for it before all is removed: then it is filled again.
  await tx.run(
    sql`UPDATE trait_indexes SET filled_through = 0 WHERE number = ${number} AND coalesce(filled_through, 1) <> 0`,
  )
  const removed = await tx.run(sql`
    DELETE FROM trait_values WHERE trait = ${number} AND identity IN (
      SELECT identity FROM trait_values WHERE trait = ${number} LIMIT ${REMOVE_ROWS})`)
  if (removed === 0) await tx.run(sql`DELETE FROM trait_indexes WHERE number = ${number}`)
}
