import { type EventType, isJsonObject } from '@hookline/protocol'
import type { ProfileChange, SpacedId } from '../../profiles.ts'
import { parsedJson } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx, Tx } from '../store.ts'
import { indexTraits, isNewer, type StoredTrait, type StoredTraits, traitsIn } from './traits.ts'

/** The name of the cursor with which profiles follow the log. */
export const PROFILES_CURSOR = 'profiles'

/** What events say of an identity besides traits and facts. */
export interface Sums {
  /** The least and the greatest effective time of its events. */
  firstSeenAt: number | null
  lastSeenAt: number | null
  /** Events by type. */
  readonly counts: Partial<Record<EventType, number>>
}

/** An identity while a transaction changes it. */
interface OpenIdentity extends Sums {
  readonly id: number
  readonly named: SpacedId
  readonly isNew: boolean
  isSeen: boolean
  placeholders: number
  /** Undefined if the transaction was not to change them. */
  readonly traits: StoredTraits | undefined
  hasNewTraits: boolean
  hasChanged: boolean
  /** Whether an evaluation of its profile may come to another result than before. */
  isDirty: boolean
}

interface Row {
  readonly id: number
  readonly is_seen: boolean | number
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
  readonly placeholders: number
}

/**
 * The identities that one transaction changes: each is read once, and written once by `save`. A slice of the log has many
 * events of the same users.
 */
export class OpenIdentities {
  readonly #byName: ReadonlyMap<string, OpenIdentity>

  private constructor(byName: ReadonlyMap<string, OpenIdentity>) {
    this.#byName = byName
  }

  /**
   * Opens the identities of these ids; one that there is not is new. `lockProfiles` comes before.
   *
   * @param withTraits those that may get traits
   * @param at the time of the change
   */
  static async open(
    tx: Tx,
    {
      named,
      withTraits = [],
      at,
    }: {
      readonly named: readonly SpacedId[]
      readonly withTraits?: readonly SpacedId[]
      readonly at: number
    },
  ): Promise<OpenIdentities> {
    const wanted = [...new Map(named.map((each) => [keyOf(each), each])).values()]
    const found = await numbersOf(tx, wanted)
    const known = found.filter((id) => id !== undefined)
    const rows = new Map((await rowsOf(tx, known)).map((row) => [row.id, row]))
    const changing = new Set(withTraits.map(keyOf))
    const withOwn = wanted.flatMap((each, index) =>
      changing.has(keyOf(each)) ? (found[index] ?? []) : [],
    )
    const traits = await traitsOf(tx, withOwn)
    const damaged = [...rows.values()].flatMap(({ id, counts }) =>
      [counts, traits.get(id) ?? '{}'].some((text) => parsedJson(text) === undefined) ? id : [],
    )
    await quarantine(tx, damaged, at)
    let next = await takeNumbers(tx, wanted.length - known.length)
    const open = wanted.map((each, index) => {
      const row = rows.get(found[index] ?? -1)
      const id = row?.id ?? next++
      const ownTraits = changing.has(keyOf(each)) ? traitsIn(traits.get(id)) : undefined
      return [keyOf(each), openIdentity({ id, named: each, row, traits: ownTraits })] as const
    })
    return new OpenIdentities(new Map(open))
  }

  /** The number of an identity that is open. An event or a list names it, unless `isSeen` is false. */
  require(named: SpacedId, isSeen: boolean): number {
    const open = this.#byName.get(keyOf(named))!
    if (isSeen && !open.isSeen) {
      open.isSeen = true
      open.hasChanged = true
      open.isDirty = true
    }
    return open.id
  }

  /** The profile of the identity is to be evaluated again. */
  touch(named: SpacedId): void {
    this.#byName.get(keyOf(named))!.isDirty = true
  }

  /** Adds what an event says of its user, but for its facts. Returns the number of the identity. */
  apply(change: ProfileChange): number {
    const { type, timestamp, receivedAt, hasPlaceholder, traits = {} } = change
    const named = ownIdOf(change)
    const id = this.require(named, true)
    const open = this.#byName.get(keyOf(named))!
    open.hasChanged = true
    open.counts[type] = (open.counts[type] ?? 0) + 1
    if (hasPlaceholder) open.placeholders++
    seeAt(open, timestamp)
    for (const [name, value] of Object.entries(traits)) {
      if (value === undefined) continue
      const trait = [value, timestamp, receivedAt, change.eventId, change.sourceId] as const
      setTrait(open, name, change.aheadMs === undefined ? trait : [...trait, change.aheadMs])
    }
    return id
  }

  /** Writes what has changed. Returns the numbers of the identities whose profiles are to be evaluated again. */
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

/** The position of the last event that is applied; 0 while no profiles are kept. */
export async function profilesPosition(tx: ReadTx): Promise<number> {
  const [cursor] = await tx.all(
    sql<{ readonly through: number }>`SELECT through FROM cursors WHERE name = ${PROFILES_CURSOR}`,
  )
  return cursor?.through ?? 0
}

/** The identity that an event belongs to. */
export function ownIdOf({ space, userId, anonymousId }: ProfileChange): SpacedId {
  return userId === undefined
    ? { space, kind: 'anonymous', id: anonymousId! }
    : { space, kind: 'user', id: userId }
}

/** The number of the identity of each id, in their order; `undefined` where there is none. */
export function numbersOf(
  tx: ReadTx,
  ids: readonly SpacedId[],
): Promise<readonly (number | undefined)[]> {
  return columnOf(tx, ids, sql`identities.id`)
}

/** The number of the profile of each id, in their order. */
export function profilesOf(
  tx: ReadTx,
  ids: readonly SpacedId[],
): Promise<readonly (number | undefined)[]> {
  return columnOf(tx, ids, sql`identities.profile`)
}

async function columnOf(
  tx: ReadTx,
  ids: readonly SpacedId[],
  column: Statement,
): Promise<readonly (number | undefined)[]> {
  if (ids.length === 0) return []
  // A subquery for each looks it up by the index. A plan for all of them at once may read the whole table.
  const rows = await tx.all(sql<{ readonly place: number; readonly found: number | null }>`
    SELECT place, (
      SELECT ${column} FROM identities
      WHERE name = given.name AND space = given.space AND kind = given.kind) AS found
    FROM ${tx.dialect.given({
      place: ['number', ids.map((_, index) => index)],
      space: ['text', ids.map(({ space }) => space)],
      kind: ['text', ids.map(({ kind }) => kind)],
      name: ['text', ids.map(({ id }) => id)],
    })}`)
  const found = new Map(rows.map((row) => [row.place, row.found ?? undefined]))
  return ids.map((_, index) => found.get(index))
}

/** Makes the profiles of identities dirty since `at`, unless they were before. */
export async function touchProfiles(
  tx: Tx,
  identities: readonly number[],
  at: number,
): Promise<void> {
  if (identities.length === 0) return
  const profiles = sql`SELECT profile FROM identities
    WHERE id IN (${numbersIn(tx, identities)})`
  if (tx.dialect.hasRowLocks) await lockAll(tx, profiles)
  await tx.run(sql`
    UPDATE identities SET version = version + 1, dirty_since = coalesce(dirty_since, ${at})
    WHERE id IN (${profiles})`)
}

/** Locks identities until the transaction ends. */
export async function lockIdentities(tx: Tx, ids: readonly number[]): Promise<void> {
  if (tx.dialect.hasRowLocks) await lockAll(tx, numbersIn(tx, ids))
}

/** In the order of their numbers, as every transaction does, so that no two wait for each other. */
async function lockAll(tx: Tx, ids: Statement): Promise<void> {
  await tx.all(sql`
    SELECT id FROM identities WHERE id IN (${ids}) ORDER BY id ${tx.dialect.forUpdate}`)
}

/** Adds what `other` has to `sums`: the sums of the counts, the widest time. */
export function addSums(sums: Sums, other: Sums): void {
  for (const [type, count] of Object.entries(other.counts) as [EventType, number][])
    sums.counts[type] = (sums.counts[type] ?? 0) + count
  for (const at of [other.firstSeenAt, other.lastSeenAt]) if (at !== null) seeAt(sums, at)
}

/** The counts in a column; none if it is damaged. */
export function countsIn(stored: string): Sums['counts'] {
  const counts = parsedJson(stored)
  return isJsonObject(counts) ? counts : {}
}

function setTrait(open: OpenIdentity, name: string, trait: StoredTrait): void {
  const previous = open.traits![name]
  if (!isNewer(trait, previous)) return
  open.traits![name] = trait
  open.hasNewTraits = true
  // Most identify calls repeat what is known: an equal text or number changes no verdict.
  if (previous?.[0] !== trait[0]) open.isDirty = true
}

/** Widens the time in which an identity was seen. */
function seeAt(sums: Sums, at: number): void {
  sums.firstSeenAt = Math.min(sums.firstSeenAt ?? at, at)
  sums.lastSeenAt = Math.max(sums.lastSeenAt ?? at, at)
}

/** Equal for ids that are equal in the database, which has no lone surrogates. */
function keyOf({ space, kind, id }: SpacedId): string {
  return JSON.stringify([kind, space.toWellFormed(), id.toWellFormed()])
}

function openIdentity({
  id,
  named,
  row,
  traits,
}: {
  readonly id: number
  readonly named: SpacedId
  readonly row: Row | undefined
  readonly traits: StoredTraits | undefined
}): OpenIdentity {
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

async function rowsOf(tx: Tx, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return []
  return tx.all(sql<Row>`
    SELECT id, is_seen, first_seen_at, last_seen_at, counts, placeholders FROM identities
    WHERE id IN (${numbersIn(tx, ids)})
    ORDER BY id ${tx.dialect.forUpdate}`)
}

async function traitsOf(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.all(sql<{ readonly identity: number; readonly traits: string }>`
    SELECT identity, traits FROM identity_traits
    WHERE identity IN (${numbersIn(tx, ids)})`)
  return new Map(rows.map(({ identity, traits }) => [identity, traits]))
}

/** Identities lose what is damaged of them, and go on with what their next events say. The quarantine says so. */
async function quarantine(tx: Tx, ids: readonly number[], at: number): Promise<void> {
  if (ids.length === 0) return
  const reason = 'Its counts or traits in the database were not readable as JSON, and are gone.'
  const given = tx.dialect.given({
    id: ['text', ids.map((id) => `profile:${id}`)],
    at: ['number', ids.map(() => at)],
  })
  await tx.run(sql`
    INSERT INTO quarantine (id, reason, at) SELECT id, CAST(${reason} AS text), at FROM ${given} WHERE true
    ON CONFLICT (id) DO UPDATE SET at = excluded.at`)
}

/** Takes numbers that no identity has had. Returns the first one. */
async function takeNumbers(tx: Tx, count: number): Promise<number> {
  if (count === 0) return 0
  const [state] = await tx.all(sql<{ readonly identities: number }>`
    UPDATE profiles_state SET identities = identities + ${count} RETURNING identities`)
  return state!.identities - count + 1
}

/** Each leads a profile of its own until it is linked. */
async function insert(tx: Tx, identities: readonly OpenIdentity[]): Promise<void> {
  if (identities.length === 0) return
  await tx.run(sql`
    INSERT INTO identities (id, space, kind, name, profile, is_seen, first_seen_at, last_seen_at,
      counts, placeholders, version)
    SELECT id, space, kind, name, id, is_seen = 1, first_seen_at, last_seen_at, counts, placeholders, 0
    FROM ${tx.dialect.given({
      space: ['text', identities.map(({ named }) => named.space)],
      kind: ['text', identities.map(({ named }) => named.kind)],
      name: ['text', identities.map(({ named }) => named.id)],
      ...columnsOf(identities),
    })}`)
  const changes = identities.map(({ named: { space } }) => ({ space, change: 1 }))
  await countProfiles(tx, changes)
}

async function update(tx: Tx, identities: readonly OpenIdentity[]): Promise<void> {
  if (identities.length === 0) return
  await tx.run(sql`
    UPDATE identities SET is_seen = given.is_seen = 1, first_seen_at = given.first_seen_at,
      last_seen_at = given.last_seen_at, counts = given.counts, placeholders = given.placeholders
    FROM ${tx.dialect.given(columnsOf(identities))} WHERE identities.id = given.id`)
}

function columnsOf(identities: readonly OpenIdentity[]) {
  return {
    id: ['number', identities.map(({ id }) => id)],
    is_seen: ['number', identities.map(({ isSeen }) => Number(isSeen))],
    first_seen_at: ['number', identities.map(({ firstSeenAt }) => firstSeenAt)],
    last_seen_at: ['number', identities.map(({ lastSeenAt }) => lastSeenAt)],
    counts: ['text', identities.map(({ counts }) => JSON.stringify(counts))],
    placeholders: ['number', identities.map(({ placeholders }) => placeholders)],
  } as const
}

export async function putTraits(
  tx: Tx,
  identities: readonly { readonly id: number; readonly traits: StoredTraits }[],
): Promise<void> {
  if (identities.length === 0) return
  const given = tx.dialect.given({
    identity: ['number', identities.map(({ id }) => id)],
    traits: ['text', identities.map(({ traits }) => JSON.stringify(traits))],
  })
  await tx.run(sql`
    INSERT INTO identity_traits (identity, traits) SELECT identity, traits FROM ${given} WHERE true
    ON CONFLICT (identity) DO UPDATE SET traits = excluded.traits`)
  await indexTraits(tx, identities)
}

/** Adds to the numbers of profiles, by space. */
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
