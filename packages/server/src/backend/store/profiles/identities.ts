import { type EventType, isJsonObject } from '@hookline/protocol'
import type { ProfileChange, IdInSpace } from '../../profiles.ts'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx, Tx } from '../store.ts'
import { indexTraits, isNewer, type StoredTrait, type StoredTraits, traitsIn } from './traits.ts'

export const PROFILES_CURSOR = 'profiles'

export interface Sums {
  /** The first and the last effective time of its events. */
  firstSeenAt: number | null
  lastSeenAt: number | null
  readonly counts: Partial<Record<EventType, number>>
}

/** An identity while a transaction changes it. */
interface OpenIdentity extends Sums {
  readonly id: number
  readonly named: IdInSpace
  readonly isNew: boolean
  isSeen: boolean
  placeholders: number
  /** `undefined` if the transaction does not change them. */
  readonly traits: StoredTraits | undefined
  hasNewTraits: boolean
  hasChanged: boolean
  /** Whether an evaluation of its profile may now give a different result. */
  isDirty: boolean
}

interface IdentityRow {
  readonly id: number
  readonly is_seen: boolean | number
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
  readonly placeholders: number
}

interface OpeningOptions {
  readonly named: readonly IdInSpace[]
  readonly withTraits?: readonly IdInSpace[]
  readonly at: number
}

/** The identities that one transaction changes. Each is read once, and written once by `save`. */
export class OpenIdentities {
  readonly #byName: ReadonlyMap<string, OpenIdentity>

  private constructor(byName: ReadonlyMap<string, OpenIdentity>) {
    this.#byName = byName
  }

  /** Opens or creates the identities of these ids. Call `lockProfiles` first. */
  static async open(
    tx: Tx,
    { named, withTraits = [], at }: OpeningOptions,
  ): Promise<OpenIdentities> {
    const ids = [...new Map(named.map((each) => [keyOf(each), each])).values()]
    const found = await numbersOf(tx, ids)
    const known = found.filter((id) => id !== undefined)
    const rows = new Map((await rowsOf(tx, known)).map((row) => [row.id, row]))
    const changing = new Set(withTraits.map(keyOf))
    const withOwn = ids.flatMap((each, index) =>
      changing.has(keyOf(each)) ? (found[index] ?? []) : [],
    )
    const traits = await traitsOf(tx, withOwn)
    const corrupted = [...rows.values()].flatMap(({ id, counts }) =>
      [counts, traits.get(id) ?? '{}'].some((text) => parsedJson(text) === undefined) ? id : [],
    )
    await quarantine(tx, corrupted, at)
    let next = await takeNumbers(tx, ids.length - known.length)
    const open = ids.map((each, index) => {
      const row = rows.get(found[index] ?? -1)
      const id = row?.id ?? next++
      const ownTraits = changing.has(keyOf(each)) ? traitsIn(traits.get(id)) : undefined
      return [keyOf(each), openIdentity(id, each, row, ownTraits)] as const
    })
    return new OpenIdentities(new Map(open))
  }

  /** The number of an open identity. `isSeen`: whether it occurs in an event or a list. */
  numberOf(id: IdInSpace, isSeen: boolean): number {
    const open = this.#byName.get(keyOf(id))!
    if (isSeen && !open.isSeen) {
      open.isSeen = true
      open.hasChanged = true
      open.isDirty = true
    }
    return open.id
  }

  touch(named: IdInSpace): void {
    this.#byName.get(keyOf(named))!.isDirty = true
  }

  /** Adds an event's data except its facts. Returns the number of the identity. */
  apply(change: ProfileChange): number {
    const { type, timestamp, receivedAt, hasPlaceholder, traits = {} } = change
    const named = ownIdOf(change)
    const id = this.numberOf(named, true)
    const open = this.#byName.get(keyOf(named))!
    open.hasChanged = true
    open.counts[type] = (open.counts[type] ?? 0) + 1
    if (hasPlaceholder) open.placeholders++
    extendSeenRange(open, timestamp)
    for (const [name, value] of Object.entries(traits)) {
      if (value === undefined) continue
      const trait = [value, timestamp, receivedAt, change.eventId, change.sourceId] as const
      setTrait(open, name, change.aheadMs === undefined ? trait : [...trait, change.aheadMs])
    }
    return id
  }

  /** Writes changed identities. Returns the numbers of those whose profiles need evaluation. */
  async save(tx: Tx): Promise<readonly number[]> {
    const all = [...this.#byName.values()]
    const added = all.filter(({ isNew }) => isNew)
    const changed = all.filter(({ isNew, hasChanged }) => hasChanged && !isNew)
    const withTraits = all.filter(({ hasNewTraits }) => hasNewTraits)
    await insert(tx, added)
    await update(tx, changed)
    const traits = withTraits.map((open) => ({ id: open.id, traits: open.traits! }))
    await putTraits(tx, traits)
    return all.filter(({ isDirty, isNew }) => isDirty || isNew).map(({ id }) => id)
  }
}

/** The position of the last applied event; 0 before the first. */
export async function profilesPosition(tx: ReadTx): Promise<number> {
  const [cursor] = await tx.all(
    sql<{ readonly through: number }>`SELECT through FROM cursors WHERE name = ${PROFILES_CURSOR}`,
  )
  return cursor?.through ?? 0
}

export function ownIdOf({ space, userId, anonymousId }: ProfileChange): IdInSpace {
  return userId === undefined
    ? { space, kind: 'anonymous', id: anonymousId! }
    : { space, kind: 'user', id: userId }
}

/** The identity numbers of ids, in order; `undefined` if none. */
export function numbersOf(
  tx: ReadTx,
  ids: readonly IdInSpace[],
): Promise<readonly (number | undefined)[]> {
  return columnOf(tx, ids, sql`identities.id`)
}

export function profilesOf(
  tx: ReadTx,
  ids: readonly IdInSpace[],
): Promise<readonly (number | undefined)[]> {
  return columnOf(tx, ids, sql`identities.profile`)
}

async function columnOf(tx: ReadTx, ids: readonly IdInSpace[], column: Statement) {
  if (ids.length === 0) return []
  const rowsOfIds = ids.map((id, place) => ({ ...id, place }))
  const input = tx.dialect.rows(rowsOfIds, { text: ['space', 'kind', 'id'], number: ['place'] })
  // A subquery uses the index for each id. A join may read the whole table.
  const rows = await tx.all(sql<{ readonly place: number; readonly found: number | null }>`
    SELECT place, (
      SELECT ${column} FROM identities
      WHERE name = input.id AND space = input.space AND kind = input.kind) AS found
    FROM ${input}`)
  const found = new Map(rows.map((row) => [row.place, row.found ?? undefined]))
  return ids.map((_, index) => found.get(index))
}

/** Marks the profiles of identities as dirty as of `at`, unless they are already dirty. */
export async function touchProfiles(tx: Tx, identities: readonly number[], at: number) {
  if (identities.length === 0) return
  const profiles = sql`SELECT profile FROM identities WHERE id IN (${numbersIn(tx, identities)})`
  if (tx.dialect.hasRowLocks) await lockAll(tx, profiles)
  await tx.run(sql`
    UPDATE identities SET version = version + 1, dirty_since = coalesce(dirty_since, ${at})
    WHERE id IN (${profiles})`)
}

export async function lockIdentities(tx: Tx, ids: readonly number[]): Promise<void> {
  if (tx.dialect.hasRowLocks) await lockAll(tx, numbersIn(tx, ids))
}

/** In the order of numbers, to prevent deadlocks. */
async function lockAll(tx: Tx, ids: Statement): Promise<void> {
  await tx.all(sql`
    SELECT id FROM identities WHERE id IN (${ids}) ORDER BY id ${tx.dialect.forUpdate}`)
}

export function addSums(sums: Sums, other: Sums): void {
  for (const [type, count] of Object.entries(other.counts) as [EventType, number][])
    sums.counts[type] = (sums.counts[type] ?? 0) + count
  for (const at of [other.firstSeenAt, other.lastSeenAt]) if (at !== null) extendSeenRange(sums, at)
}

export function countsIn(stored: string): Sums['counts'] {
  const counts = parsedJson(stored)
  return isJsonObject(counts) ? counts : {}
}

function setTrait(open: OpenIdentity, name: string, trait: StoredTrait): void {
  const previous = open.traits![name]
  if (!isNewer(trait, previous)) return
  open.traits![name] = trait
  open.hasNewTraits = true
  // Most identify calls repeat known values, which change no result.
  if (previous?.[0] !== trait[0]) open.isDirty = true
}

function extendSeenRange(sums: Sums, at: number): void {
  sums.firstSeenAt = Math.min(sums.firstSeenAt ?? at, at)
  sums.lastSeenAt = Math.max(sums.lastSeenAt ?? at, at)
}

/** Equal for ids that are equal in the database, which stores no lone surrogates. */
function keyOf({ space, kind, id }: IdInSpace): string {
  return JSON.stringify([kind, space.toWellFormed(), id.toWellFormed()])
}

function openIdentity(
  id: number,
  named: IdInSpace,
  row: IdentityRow | undefined,
  traits: StoredTraits | undefined,
): OpenIdentity {
  return {
    id,
    named,
    isNew: row === undefined,
    isSeen: Boolean(row?.is_seen),
    firstSeenAt: row?.first_seen_at ?? null,
    lastSeenAt: row?.last_seen_at ?? null,
    counts: row === undefined ? {} : countsIn(row.counts),
    placeholders: row?.placeholders ?? 0,
    traits,
    hasNewTraits: false,
    hasChanged: false,
    isDirty: false,
  }
}

async function rowsOf(tx: Tx, ids: readonly number[]): Promise<IdentityRow[]> {
  if (ids.length === 0) return []
  return tx.all(sql<IdentityRow>`
    SELECT id, is_seen, first_seen_at, last_seen_at, counts, placeholders FROM identities
    WHERE id IN (${numbersIn(tx, ids)}) ORDER BY id ${tx.dialect.forUpdate}`)
}

async function traitsOf(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<{ readonly identity: number; readonly traits: string }>`
    SELECT identity, traits FROM identity_traits WHERE identity IN (${numbersIn(tx, ids)})`)
  return new Map(rows.map(({ identity, traits }) => [identity, traits]))
}

/** Adds identities with corrupt data to the quarantine. The data is dropped. */
async function quarantine(tx: Tx, ids: readonly number[], at: number): Promise<void> {
  if (ids.length === 0) return
  const reason = 'The stored counts or traits were not valid JSON, and were removed.'
  const rows = ids.map((id) => ({ id: `profile:${id}`, reason, at }))
  const input = tx.dialect.rows(rows, { text: ['id', 'reason'], number: ['at'] })
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at) SELECT id, reason, at FROM ${input} WHERE true
    ON CONFLICT (id) DO UPDATE SET at = excluded.at`)
}

/** Reserves unused numbers. Returns the first. */
async function takeNumbers(tx: Tx, count: number): Promise<number> {
  if (count === 0) return 0
  const [state] = await tx.all(sql<{ readonly identities: number }>`
    UPDATE profiles_state SET identities = identities + ${count} RETURNING identities`)
  return state!.identities - count + 1
}

/** Each leads its own profile until it is linked. */
async function insert(tx: Tx, identities: readonly OpenIdentity[]): Promise<void> {
  if (identities.length === 0) return
  const rows = identities.map(({ named: { space, kind, id: name }, ...rest }) => {
    return { ...rest, space, kind, name }
  })
  await tx.run(sql`
    INSERT INTO identities (id, space, kind, name, profile, is_seen, first_seen_at, last_seen_at,
      counts, placeholders, version)
    SELECT id, space, kind, name, id, is_seen = 1, first_seen_at, last_seen_at, counts, placeholders, 0
    FROM ${tx.dialect.rows(rows, { ...COLUMNS, text: ['space', 'kind', 'name'] })}`)
  const changes = identities.map(({ named: { space } }) => ({ space, change: 1 }))
  await countProfiles(tx, changes)
}

async function update(tx: Tx, identities: readonly OpenIdentity[]): Promise<void> {
  if (identities.length === 0) return
  await tx.run(sql`
    UPDATE identities SET is_seen = input.is_seen = 1, first_seen_at = input.first_seen_at,
      last_seen_at = input.last_seen_at, counts = input.counts, placeholders = input.placeholders
    FROM ${tx.dialect.rows(identities, COLUMNS)} WHERE identities.id = input.id`)
}

const COLUMNS = {
  number: ['id', 'isSeen', 'firstSeenAt', 'lastSeenAt', 'placeholders'],
  json: ['counts'],
} as const

export async function putTraits(
  tx: Tx,
  identities: readonly { readonly id: number; readonly traits: StoredTraits }[],
): Promise<void> {
  if (identities.length === 0) return
  const input = tx.dialect.rows(identities, { number: ['id'], json: ['traits'] })
  await tx.run(sql`
    INSERT INTO identity_traits (identity, traits) SELECT id, traits FROM ${input} WHERE true
    ON CONFLICT (identity) DO UPDATE SET traits = excluded.traits`)
  await indexTraits(tx, identities)
}

export async function countProfiles(
  tx: Tx,
  changes: readonly { readonly space: string; readonly change: number }[],
): Promise<void> {
  const bySpace = new Map<string, number>()
  for (const { space, change } of changes) bySpace.set(space, (bySpace.get(space) ?? 0) + change)
  for (const [space, change] of bySpace)
    await tx.run(sql`
      INSERT INTO spaces (name, profiles) VALUES (${space}, ${change})
      ON CONFLICT (name) DO UPDATE SET profiles = spaces.profiles + excluded.profiles`)
}
