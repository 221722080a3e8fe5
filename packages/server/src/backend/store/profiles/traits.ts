import type { Json } from '@hookline/protocol'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'
import { lockProfiles } from './lock-profiles.ts'

/** A stored trait. A removed one has the value `null`, so that an older event does not restore it. */
export type StoredTrait = readonly [
  value: Json,
  at: number,
  receivedAt: number,
  eventId: string,
  sourceId: string,
  aheadMs?: number,
]

export type StoredTraits = Record<string, StoredTrait>

/** The traits in a column, without a prototype, so that a trait may be named __proto__. */
export function traitsIn(stored: string | null | undefined): StoredTraits {
  const traits = Object.create(null) as StoredTraits
  // Corrupt text may be other JSON.
  for (const [name, trait] of Object.entries(parsedJson(stored) ?? {}))
    if (Array.isArray(trait)) traits[name] = trait as unknown as StoredTrait
  return traits
}

/** The traits of several identities: for each trait, the newest event wins. */
export function mergedTraits(all: readonly StoredTraits[]): StoredTraits {
  const [first, ...others] = all
  if (first !== undefined && others.length === 0) return first
  const merged = Object.create(null) as StoredTraits
  for (const traits of all)
    for (const [name, trait] of Object.entries(traits))
      if (isNewer(trait, merged[name])) merged[name] = trait
  return merged
}

/** Whether trait `a` is from a newer event than `b`, regardless of the order of application. */
export function isNewer(a: StoredTrait, b: StoredTrait | undefined): boolean {
  if (b === undefined) return true
  if (a[1] !== b[1]) return a[1] > b[1]
  if (a[2] !== b[2]) return a[2] > b[2]
  const [aheadA = 0, aheadB = 0] = [a[5], b[5]]
  return aheadA === aheadB ? a[3] > b[3] : aheadA > aheadB
}

/** An index of identities by the values of a trait. The first search creates it; `maintainTraitIndexes` fills it, and removes it if unused. */
export interface TraitIndex {
  readonly number: number
  readonly name: string
  /** The last identity in the index; `null`: complete. */
  readonly filled_through: number | null
}

const VALUE_LENGTH = 200
export const USED_AT_PRECISION_MS = 60 * 60 * 1000
/** Maximum number of indexes besides `email`: each costs writes. */
export const MAX_TRAIT_INDEXES = 20
const FILL_IDENTITIES = 500
const REMOVE_ROWS = 2_000

/** The index entry of a value, in lower case; `undefined` for values that are not searchable. */
export function indexedValue(value: Json): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  const text = String(value).trim().toLowerCase()
  return Array.from(text.slice(0, VALUE_LENGTH * 2))
    .slice(0, VALUE_LENGTH)
    .join('')
}

export async function indexTraits(tx: Tx, changed: readonly ChangedTraits[]): Promise<void> {
  const indexes = await tx.all(sql<TraitIndex>`SELECT * FROM trait_indexes`)
  if (indexes.length === 0) return
  const ids = changed.map(({ id }) => id)
  await tx.run(sql`DELETE FROM trait_values WHERE identity IN (${numbersIn(tx, ids)})`)
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
    indexes.flatMap(({ number: trait, name }) => {
      const value = indexedValue(traits[name]?.[0] ?? null)
      return value === undefined ? [] : [{ trait, value, identity: id }]
    }),
  )
  if (rows.length === 0) return
  const input = tx.dialect.rows(rows, { text: ['value'], number: ['trait', 'identity'] })
  await tx.run(sql`
    INSERT INTO trait_values (trait, value, identity)
    SELECT trait, value, identity FROM ${input} WHERE true ON CONFLICT DO NOTHING`)
}

/** Finds or creates the index of a trait; `undefined` if there are too many. */
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
      WHERE number = ${known.number} AND used_at < ${now - USED_AT_PRECISION_MS}`)
    return known
  }
  // Email addresses can always be searched.
  const others = all.filter((index) => index.name !== 'email')
  if (name !== 'email' && others.length >= MAX_TRAIT_INDEXES) return undefined
  const number = Math.max(0, ...all.map((index) => index.number)) + 1
  await tx.run(sql`
    INSERT INTO trait_indexes (number, name, filled_through, used_at)
    VALUES (${number}, ${name}, 0, ${now})`)
  return { number, name, filled_through: 0 }
}

/**
 * Adds some identities to an incomplete index, and removes some values of an index that has not
 * been used since `unusedSince`.
 */
export async function maintainTraitIndexes(tx: Tx, unusedSince: number): Promise<void> {
  // Traits must not change between reading and writing.
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
  // If it is searched before everything is removed, it is filled again.
  await tx.run(
    sql`UPDATE trait_indexes SET filled_through = 0 WHERE number = ${number} AND coalesce(filled_through, 1) <> 0`,
  )
  const removed = await tx.run(sql`
    DELETE FROM trait_values WHERE trait = ${number} AND identity IN (
      SELECT identity FROM trait_values WHERE trait = ${number} LIMIT ${REMOVE_ROWS})`)
  if (removed === 0) await tx.run(sql`DELETE FROM trait_indexes WHERE number = ${number}`)
}
