import { DEFAULT_SPACE } from '@hookline/protocol'
import type { ProfileId, SpacedId } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countProfiles, lockIdentities, numbersOf, touchProfiles } from './identities.ts'
import { relink } from './linked-profiles.ts'
import { BY_MOMENT, groupsOf } from './links.ts'

/** Ids in the spaces of some sources; `null`: in every space. */
interface Removal {
  readonly ids: readonly ProfileId[]
  readonly sourceIds: readonly string[] | null
  /** Since when profiles that lose something are dirty. */
  readonly at: number
}

/**
 * Removes users: their identities with those of the anonymousIds that belong to them, everything that was announced of
 * them, and their places on lists, also of computations that are gone and not forgotten yet. Nothing of other users goes: those that
 * an alias made one with them have a profile of their own then, which has no results until it is evaluated. Slices that were read
 * before are refused from then on.
 *
 * Resolves to whether all is removed. Otherwise a user has more anonymousIds than go in one transaction: call it again.
 */
export async function removeUsers(
  tx: Tx,
  { userIds, sourceIds, at }: Omit<Removal, 'ids'> & { readonly userIds: readonly string[] },
): Promise<boolean> {
  const ids = userIds.map((id) => ({ kind: 'user' as const, id }))
  const { spaces, isAll } = await remove(tx, { ids, sourceIds, at })
  for (const space of spaces) await forgetUsers(tx, userIds, space)
  return isAll
}

/**
 * Removes identities, with the anonymousIds that belong to them, and nothing else. Slices that were read before are refused from
 * then on. As `removeUsers`, it may have to be called again.
 */
export async function removeIdentities(tx: Tx, removal: Removal): Promise<boolean> {
  const { isAll } = await remove(tx, removal)
  return isAll
}

/** Returns the spaces in which the ids were looked for, and whether all of it is removed. */
async function remove(
  tx: Tx,
  { ids, sourceIds, at }: Removal,
): Promise<{ readonly spaces: readonly string[]; readonly isAll: boolean }> {
  // Also the lock of `lockProfiles`.
  await tx.run(sql`UPDATE profiles_state SET purges = purges + 1`)
  const spaces = await spacesOf(tx, sourceIds)
  const wanted = spaces.flatMap((space) => ids.map((id): SpacedId => ({ space, ...id })))
  const named = (await numbersOf(tx, wanted)).filter((each) => each !== undefined)
  const numbers = [...named, ...(await formerIds(tx, wanted))]
  const isAll = numbers.length === 0 || (await removeNumbers(tx, numbers, at))
  return { spaces, isAll }
}

/** The same ids as ones of the other kind, if only aliases have named them: these do not say of which kind a former id is. */
async function formerIds(tx: Tx, ids: readonly SpacedId[]): Promise<readonly number[]> {
  const others = ids.map(({ kind, ...id }): SpacedId => {
    return { ...id, kind: kind === 'user' ? 'anonymous' : 'user' }
  })
  const numbers = (await numbersOf(tx, others)).filter((each) => each !== undefined)
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id IN (${numbersIn(tx, numbers)}) AND NOT is_seen`)
  return rows.map(({ id }) => id)
}

interface Concerned {
  readonly id: number
  readonly kind: string
  readonly space: string
  readonly profile: number
}

async function removeNumbers(tx: Tx, numbers: readonly number[], at: number): Promise<boolean> {
  const named = await withIds(tx, numbers)
  const locked = named.flatMap(({ id, profile }) => [id, profile])
  await lockIdentities(tx, locked)
  const claimed = await claimedBy(tx, numbers)
  const { heirs, kept } = await removeClaimed(tx, numbers, claimed)
  const isAll =
    claimed.length < REMOVED_TOGETHER &&
    (await removeRefusedAliases(tx, numbers)) &&
    (await removeOtherClaims(tx, numbers))
  if (!isAll) {
    await linkAnew(tx, { users: heirs, kept, gone: [], shared: [] }, at)
    return false
  }
  const users = named.filter(({ kind }) => kind === 'user').map(({ id }) => id)
  const partners = await withIds(tx, (await groupsOf(tx, users)).flat())
  const shared = [...partners, ...(await claimersOf(tx, numbers))]
  await removeLinks(tx, numbers)
  // The user that is removed may be its own partner.
  const isNamed = new Set(numbers)
  const others = partners.filter(({ id }) => !isNamed.has(id))
  const gone = [...named, ...(await unnamed(tx, others))]
  await removeData(tx, numbers)
  await removeRows(tx, gone)
  await linkAnew(tx, { users: [...shared.map(({ id }) => id), ...heirs], kept, gone, shared }, at)
  return true
}

interface Rest {
  /** Users who may have other links now. */
  readonly users: readonly number[]
  /** AnonymousIds that have lost everything but their id. */
  readonly kept: readonly Concerned[]
  readonly gone: readonly Concerned[]
  /** Whose profile something that is gone belonged to. */
  readonly shared: readonly Concerned[]
}

async function linkAnew(tx: Tx, { users, kept, gone, shared }: Rest, at: number): Promise<void> {
  const isGone = new Set(gone.map(({ id }) => id))
  const left = users.filter((id) => !isGone.has(id))
  const emptied = kept.map(({ id }) => id)
  await relink(tx, left, at, emptied)
  // Also those of the users who are left: they were computed with what is removed.
  const computed = [...shared, ...kept].map(({ profile }) => profile)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${numbersIn(tx, computed)})`)
  await touchProfiles(tx, [...left, ...emptied], at)
}

/** Removes the anonymousIds that belong to users, but for their ids if another user has claimed them: that one gets them. */
async function removeClaimed(
  tx: Tx,
  users: readonly number[],
  claimed: readonly Concerned[],
): Promise<{ readonly heirs: readonly number[]; readonly kept: readonly Concerned[] }> {
  const ids = claimed.map(({ id }) => id)
  await tx.run(sql`
    DELETE FROM claims WHERE anonymous IN (${numbersIn(tx, ids)}) AND claimer IN (${numbersIn(tx, users)})`)
  const heirs = await claimAnew(tx, ids)
  await removeData(tx, ids)
  const gone = claimed.filter(({ id }) => !heirs.has(id))
  await removeRows(tx, gone)
  return { heirs: [...heirs.values()], kept: claimed.filter(({ id }) => heirs.has(id)) }
}

function withIds(tx: Tx, ids: readonly number[]): Promise<readonly Concerned[]> {
  return tx.all(sql<Concerned>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (${numbersIn(tx, ids)})`)
}

/** Those that no event has named but as the former id of an alias that is gone. */
function unnamed(tx: Tx, partners: readonly Concerned[]): Promise<readonly Concerned[]> {
  const ids = partners.map(({ id }) => id)
  return tx.all(sql<Concerned>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (${numbersIn(tx, ids)}) AND NOT is_seen
    AND NOT EXISTS (SELECT 1 FROM aliases WHERE aliases.identity = identities.id)`)
}

/** AnonymousIds, or links of one kind, that go with users in one transaction: more only of users who have far more than a profile may have. */
const REMOVED_TOGETHER = 2_000

/** The anonymousIds that belong to users, those beyond the limit of a profile as well. */
function claimedBy(tx: Tx, users: readonly number[]): Promise<readonly Concerned[]> {
  return tx.all(sql<Concerned>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (
      SELECT anonymous FROM claims WHERE is_first AND claimer IN (${numbersIn(tx, users)})
      ORDER BY at LIMIT ${REMOVED_TOGETHER})`)
}

/** The users that had claimed anonymousIds first which are removed. */
function claimersOf(tx: Tx, numbers: readonly number[]): Promise<readonly Concerned[]> {
  return tx.all(sql<Concerned>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (
      SELECT claimer FROM claims WHERE is_first AND anonymous IN (${numbersIn(tx, numbers)}))`)
}

/** Aliases that link nothing, with former ids that nothing else names. Returns whether these are all. */
async function removeRefusedAliases(tx: Tx, numbers: readonly number[]): Promise<boolean> {
  const rows = await tx.all(sql<{ readonly owner: number; readonly other: number }>`
    SELECT identity AS owner, partner AS other FROM aliases
    WHERE identity IN (${numbersIn(tx, numbers)}) AND NOT is_linked LIMIT ${REMOVED_TOGETHER}`)
  if (rows.length === 0) return true
  const [owners, others] = [rows.map(({ owner }) => owner), rows.map(({ other }) => other)]
  for (const [identity, partner] of [
    [owners, others],
    [others, owners],
  ] as const)
    await tx.run(sql`
      DELETE FROM aliases WHERE (identity, partner) IN (SELECT identity, partner FROM ${tx.dialect.given(
        { identity: ['number', identity], partner: ['number', partner] },
      )})`)
  const isNamed = new Set(numbers)
  const ids = [...new Set(others)].filter((id) => !isNamed.has(id))
  await removeRows(tx, await unnamed(tx, await withIds(tx, ids)))
  return rows.length < REMOVED_TOGETHER
}

/** Claims that are not the first: of anonymousIds that go, there may be one of each user. Returns whether these are all. */
async function removeOtherClaims(tx: Tx, numbers: readonly number[]): Promise<boolean> {
  const ids = numbersIn(tx, numbers)
  const removed = await tx.run(sql`
    DELETE FROM claims WHERE (anonymous, claimer) IN (
      SELECT anonymous, claimer FROM claims
      WHERE (anonymous IN (${ids}) OR claimer IN (${ids})) AND NOT is_first LIMIT ${REMOVED_TOGETHER})`)
  return removed < REMOVED_TOGETHER
}

async function removeLinks(tx: Tx, numbers: readonly number[]): Promise<void> {
  const gone = numbersIn(tx, numbers)
  await tx.run(sql`DELETE FROM claims WHERE anonymous IN (${gone})`)
  await tx.run(sql`DELETE FROM claims WHERE claimer IN (${gone})`)
  await tx.run(sql`DELETE FROM aliases WHERE identity IN (${gone})`)
  await tx.run(sql`DELETE FROM aliases WHERE partner IN (${gone})`)
}

/** Gives anonymousIds without a first claim to the user who claims them earliest now. Returns those users, by anonymousId. */
async function claimAnew(
  tx: Tx,
  anonymous: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await tx.all(sql<{ readonly anonymous: number; readonly claimer: number }>`
    SELECT anonymous, claimer FROM (
      SELECT anonymous, claimer, row_number() OVER (PARTITION BY anonymous ORDER BY ${BY_MOMENT}) AS place
      FROM claims WHERE anonymous IN (${numbersIn(tx, anonymous)})) AS placed WHERE place = 1`)
  await tx.run(sql`
    UPDATE claims SET is_first = true WHERE (anonymous, claimer) IN (
      SELECT anonymous, claimer FROM ${tx.dialect.given({
        anonymous: ['number', rows.map((row) => row.anonymous)],
        claimer: ['number', rows.map(({ claimer }) => claimer)],
      })})`)
  return new Map(rows.map((row) => [row.anonymous, row.claimer]))
}

/** What events said of identities. */
async function removeData(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(sql`DELETE FROM identity_traits WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`DELETE FROM trait_values WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`DELETE FROM facts WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`
    UPDATE identities SET counts = '{}', first_seen_at = NULL, last_seen_at = NULL, placeholders = 0
    WHERE id IN (${numbersIn(tx, ids)})`)
}

/** Removes identities that may be gone already, and the results of the profiles that they lead. */
async function removeRows(tx: Tx, gone: readonly Concerned[]): Promise<void> {
  const numbers = gone.map(({ id }) => id)
  const ids = numbersIn(tx, numbers)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${ids})`)
  const removed = await tx.all(sql<Pick<Concerned, 'id' | 'profile' | 'space'>>`
    DELETE FROM identities WHERE id IN (${ids}) RETURNING id, profile, space`)
  const ended = removed.filter(({ id, profile }) => id === profile)
  const changes = ended.map(({ space }) => ({ space, change: -1 }))
  await countProfiles(tx, changes)
}

/**
 * Removes announcements to users, and their places on lists: those of computations of the space, and of those that are gone and not
 * forgotten yet.
 */
async function forgetUsers(tx: Tx, userIds: readonly string[], space: string): Promise<void> {
  const users = sql`SELECT id FROM ${tx.dialect.given({ id: ['text', userIds] })}`
  const named = await tx.all(sql<{ readonly number: number; readonly document: string | null }>`
    SELECT computations.number AS number, catalog.document AS document FROM (
      SELECT computation FROM announced WHERE user_id IN (${users})
      UNION SELECT computation FROM listed_users WHERE user_id IN (${users})) AS named
    JOIN computations ON computations.number = computation
    LEFT JOIN catalog ON catalog.id = computations.id AND kind = 'computation'`)
  const numbers = named
    .filter(({ document }) => document === null || spaceIn(document) === space)
    .map(({ number }) => number)
  for (const table of [sql`announced`, sql`listed_users`])
    await tx.run(sql`
      DELETE FROM ${table} WHERE user_id IN (${users}) AND computation IN (${numbersIn(tx, numbers)})`)
}

/** The spaces of some sources, or all that ever had profiles. */
async function spacesOf(tx: Tx, sourceIds: readonly string[] | null): Promise<readonly string[]> {
  if (sourceIds === null) {
    const rows = await tx.all(sql<{ readonly name: string }>`SELECT name FROM spaces`)
    return rows.map(({ name }) => name)
  }
  return [...new Set((await spaceOfEach(tx, sourceIds)).values())]
}

/** By source. That of a source that was removed is no longer known. */
export async function spaceOfEach(
  tx: Tx,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = tx.dialect.given({ id: ['text', sourceIds] })
  const rows = await tx.all(sql<{ readonly id: string; readonly document: string }>`
    SELECT id, document FROM catalog WHERE kind = 'source' AND id IN (SELECT id FROM ${given})`)
  const spaces = new Map(rows.map(({ id, document }) => [id, spaceIn(document)]))
  return new Map(sourceIds.map((id) => [id, spaces.get(id) ?? DEFAULT_SPACE]))
}

/** The space that a record of the catalog names. In JavaScript: PostgreSQL reads no JSON that has U+0000. */
function spaceIn(document: string): string {
  return (JSON.parse(document) as { readonly space?: string }).space ?? DEFAULT_SPACE
}
