import { DEFAULT_SPACE } from '@hookline/protocol'
import type { ProfileId, IdInSpace } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { removeNamesOf } from '../event-names.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countProfiles, lockIdentities, numbersOf, touchProfiles } from './identities.ts'
import { relink } from './linked-profiles.ts'
import { groupsOf, LINK_ORDER } from './links.ts'

/** Ids in the spaces of some sources; `sourceIds: null`: in every space. */
interface Removal {
  readonly ids: readonly ProfileId[]
  readonly sourceIds: readonly string[] | null
  readonly at: number
}

/**
 * Removes users with their linked anonymousIds, announcements and list entries. Resolves to whether everything is removed: a user may
 * have too many anonymousIds for one transaction.
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

/** Like `removeUsers`, for identities with their linked anonymousIds only. */
export async function removeIdentities(tx: Tx, removal: Removal): Promise<boolean> {
  const { isAll } = await remove(tx, removal)
  return isAll
}

/** Returns the searched spaces, and whether everything is removed. */
async function remove(tx: Tx, { ids, sourceIds, at }: Removal) {
  // Takes the lock of `lockProfiles`.
  await tx.run(sql`UPDATE profiles_state SET purges = purges + 1`)
  await removeNamesOf(tx, ids, sourceIds)
  const spaces = await spacesOf(tx, sourceIds)
  const idsInSpaces = spaces.flatMap((space) => ids.map((id): IdInSpace => ({ space, ...id })))
  const named = (await numbersOf(tx, idsInSpaces)).filter((each) => each !== undefined)
  const numbers = [...named, ...(await formerIds(tx, idsInSpaces))]
  const isAll = numbers.length === 0 || (await removeNumbers(tx, numbers, at))
  return { spaces, isAll }
}

/** Identities with these ids, but of the other kind, if only aliases have them: the kind of a former id is unknown. */
async function formerIds(tx: Tx, ids: readonly IdInSpace[]): Promise<readonly number[]> {
  const others = ids.map(({ kind, ...id }): IdInSpace => {
    return { ...id, kind: kind === 'user' ? 'anonymous' : 'user' }
  })
  const numbers = (await numbersOf(tx, others)).filter((each) => each !== undefined)
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id IN (${numbersIn(tx, numbers)}) AND NOT is_seen`)
  return rows.map(({ id }) => id)
}

interface AffectedIdentity {
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
  const { newOwners, reassigned } = await removeClaimed(tx, numbers, claimed)
  const isAll =
    claimed.length < MAX_REMOVALS &&
    (await removeRefusedAliases(tx, numbers)) &&
    (await removeOtherClaims(tx, numbers))
  if (!isAll) {
    const remaining = { affectedUsers: newOwners, reassigned, removed: [], sharedProfiles: [] }
    await relinkRemaining(tx, remaining, at)
    return false
  }
  const users = named.filter(({ kind }) => kind === 'user').map(({ id }) => id)
  const partners = await withIds(tx, (await groupsOf(tx, users)).flat())
  const sharedProfiles = [...partners, ...(await claimersOf(tx, numbers))]
  await removeLinks(tx, numbers)
  // The groups include the removed users themselves.
  const namedIds = new Set(numbers)
  const others = partners.filter(({ id }) => !namedIds.has(id))
  const removed = [...named, ...(await unnamedIdentities(tx, others))]
  await removeData(tx, numbers)
  await removeRows(tx, removed)
  const affectedUsers = [...sharedProfiles.map(({ id }) => id), ...newOwners]
  await relinkRemaining(tx, { affectedUsers, reassigned, removed, sharedProfiles }, at)
  return true
}

interface RemainingIdentities {
  /** Users whose links may have changed. */
  readonly affectedUsers: readonly number[]
  /** AnonymousIds without data, which another user has claimed. */
  readonly reassigned: readonly AffectedIdentity[]
  readonly removed: readonly AffectedIdentity[]
  /** Users whose profiles had removed identities. */
  readonly sharedProfiles: readonly AffectedIdentity[]
}

async function relinkRemaining(
  tx: Tx,
  { affectedUsers, reassigned, removed, sharedProfiles }: RemainingIdentities,
  at: number,
): Promise<void> {
  const removedIds = new Set(removed.map(({ id }) => id))
  const remaining = affectedUsers.filter((id) => !removedIds.has(id))
  const emptied = reassigned.map(({ id }) => id)
  await relink(tx, remaining, at, emptied)
  // Results of remaining users were computed with the removed data.
  const computed = [...sharedProfiles, ...reassigned].map(({ profile }) => profile)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${numbersIn(tx, computed)})`)
  await touchProfiles(tx, [...remaining, ...emptied], at)
}

/** Removes users' anonymousIds. Those that another user has claimed lose their data and go to that user. */
async function removeClaimed(
  tx: Tx,
  users: readonly number[],
  claimed: readonly AffectedIdentity[],
) {
  const ids = claimed.map(({ id }) => id)
  await tx.run(sql`
    DELETE FROM claims WHERE anonymous IN (${numbersIn(tx, ids)}) AND claimer IN (${numbersIn(tx, users)})`)
  const newOwners = await promoteClaims(tx, ids)
  await removeData(tx, ids)
  const removed = claimed.filter(({ id }) => !newOwners.has(id))
  await removeRows(tx, removed)
  return {
    newOwners: [...newOwners.values()],
    reassigned: claimed.filter(({ id }) => newOwners.has(id)),
  }
}

function withIds(tx: Tx, ids: readonly number[]): Promise<readonly AffectedIdentity[]> {
  return tx.all(sql<AffectedIdentity>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (${numbersIn(tx, ids)})`)
}

/** Identities that existed only as the former ids of removed aliases. */
function unnamedIdentities(
  tx: Tx,
  partners: readonly AffectedIdentity[],
): Promise<readonly AffectedIdentity[]> {
  const ids = partners.map(({ id }) => id)
  return tx.all(sql<AffectedIdentity>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (${numbersIn(tx, ids)}) AND NOT is_seen
    AND NOT EXISTS (SELECT 1 FROM aliases WHERE aliases.identity = identities.id)`)
}

/** AnonymousIds, or links of one kind, that one transaction removes: enough for users within the limit of a profile. */
const MAX_REMOVALS = 2_000

/** Users' anonymousIds, including those beyond the limit of a profile. */
function claimedBy(tx: Tx, users: readonly number[]): Promise<readonly AffectedIdentity[]> {
  return tx.all(sql<AffectedIdentity>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (
      SELECT anonymous FROM claims WHERE is_first AND claimer IN (${numbersIn(tx, users)})
      ORDER BY at LIMIT ${MAX_REMOVALS})`)
}

/** The users with the first claim of removed anonymousIds. */
function claimersOf(tx: Tx, numbers: readonly number[]): Promise<readonly AffectedIdentity[]> {
  return tx.all(sql<AffectedIdentity>`
    SELECT id, kind, space, profile FROM identities WHERE id IN (
      SELECT claimer FROM claims WHERE is_first AND anonymous IN (${numbersIn(tx, numbers)}))`)
}

/**
 * Removes aliases that link nothing, and former ids that only these aliases had. Returns whether
 * all are removed.
 */
async function removeRefusedAliases(tx: Tx, numbers: readonly number[]): Promise<boolean> {
  const rows = await tx.all(sql<{ readonly owner: number; readonly other: number }>`
    SELECT identity AS owner, partner AS other FROM aliases
    WHERE identity IN (${numbersIn(tx, numbers)}) AND NOT is_linked LIMIT ${MAX_REMOVALS}`)
  if (rows.length === 0) return true
  const input = tx.dialect.rows(rows, { number: ['owner', 'other'] })
  for (const pair of [sql`owner, other`, sql`other, owner`])
    await tx.run(sql`
      DELETE FROM aliases WHERE (identity, partner) IN (SELECT ${pair} FROM ${input})`)
  const namedIds = new Set(numbers)
  const ids = rows.map(({ other }) => other).filter((id) => !namedIds.has(id))
  await removeRows(tx, await unnamedIdentities(tx, await withIds(tx, ids)))
  return rows.length < MAX_REMOVALS
}

/** Removes claims that are not first: an anonymousId may have one from each user. Returns whether all are removed. */
async function removeOtherClaims(tx: Tx, numbers: readonly number[]): Promise<boolean> {
  const ids = numbersIn(tx, numbers)
  const removed = await tx.run(sql`
    DELETE FROM claims WHERE (anonymous, claimer) IN (
      SELECT anonymous, claimer FROM claims
      WHERE (anonymous IN (${ids}) OR claimer IN (${ids})) AND NOT is_first LIMIT ${MAX_REMOVALS})`)
  return removed < MAX_REMOVALS
}

async function removeLinks(tx: Tx, numbers: readonly number[]): Promise<void> {
  const ids = numbersIn(tx, numbers)
  await tx.run(sql`DELETE FROM claims WHERE anonymous IN (${ids})`)
  await tx.run(sql`DELETE FROM claims WHERE claimer IN (${ids})`)
  await tx.run(sql`DELETE FROM aliases WHERE identity IN (${ids})`)
  await tx.run(sql`DELETE FROM aliases WHERE partner IN (${ids})`)
}

/** Makes the earliest remaining claims of anonymousIds the first. Returns their users, by anonymousId. */
async function promoteClaims(tx: Tx, anonymous: readonly number[]) {
  const rows = await tx.all(sql<{ readonly anonymous: number; readonly claimer: number }>`
    SELECT anonymous, claimer FROM (
      SELECT anonymous, claimer, row_number() OVER (PARTITION BY anonymous ORDER BY ${LINK_ORDER}) AS place
      FROM claims WHERE anonymous IN (${numbersIn(tx, anonymous)})) AS placed WHERE place = 1`)
  await tx.run(sql`
    UPDATE claims SET is_first = true WHERE (anonymous, claimer) IN (
      SELECT anonymous, claimer FROM ${tx.dialect.rows(rows, { number: ['anonymous', 'claimer'] })})`)
  return new Map(rows.map((row) => [row.anonymous, row.claimer]))
}

async function removeData(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(sql`DELETE FROM identity_traits WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`DELETE FROM trait_values WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`DELETE FROM facts WHERE identity IN (${numbersIn(tx, ids)})`)
  await tx.run(sql`
    UPDATE identities SET counts = '{}', first_seen_at = NULL, last_seen_at = NULL, placeholders = 0
    WHERE id IN (${numbersIn(tx, ids)})`)
}

/** Removes identities, if they still exist, and the results of the profiles that they lead. */
async function removeRows(tx: Tx, identities: readonly AffectedIdentity[]): Promise<void> {
  const numbers = identities.map(({ id }) => id)
  const ids = numbersIn(tx, numbers)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${ids})`)
  const removed = await tx.all(sql<Pick<AffectedIdentity, 'id' | 'profile' | 'space'>>`
    DELETE FROM identities WHERE id IN (${ids}) RETURNING id, profile, space`)
  const ended = removed.filter(({ id, profile }) => id === profile)
  const changes = ended.map(({ space }) => ({ space, change: -1 }))
  await countProfiles(tx, changes)
}

/**
 * Removes users' announcements and list entries, for computations in the space and for removed
 * computations.
 */
async function forgetUsers(tx: Tx, userIds: readonly string[], space: string): Promise<void> {
  const isOfUser = sql`user_id ${tx.dialect.among(userIds)}`
  const named = await tx.all(sql<{ readonly number: number; readonly document: string | null }>`
    SELECT computations.number AS number, catalog.document AS document FROM (
      SELECT computation FROM announced WHERE ${isOfUser}
      UNION SELECT computation FROM listed_users WHERE ${isOfUser}) AS named
    JOIN computations ON computations.number = computation
    LEFT JOIN catalog ON catalog.id = computations.id AND kind = 'computation'`)
  const numbers = named
    .filter(({ document }) => document === null || spaceIn(document) === space)
    .map(({ number }) => number)
  for (const table of [sql`announced`, sql`listed_users`])
    await tx.run(sql`
      DELETE FROM ${table} WHERE ${isOfUser} AND computation IN (${numbersIn(tx, numbers)})`)
}

async function spacesOf(tx: Tx, sourceIds: readonly string[] | null): Promise<readonly string[]> {
  if (sourceIds === null) {
    const rows = await tx.all(sql<{ readonly name: string }>`SELECT name FROM spaces`)
    return rows.map(({ name }) => name)
  }
  return [...new Set((await spaceOfEach(tx, sourceIds)).values())]
}

/** The space of each source; the default space for removed ones. */
export async function spaceOfEach(
  tx: Tx,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(sql<{ readonly id: string; readonly document: string }>`
    SELECT id, document FROM catalog WHERE kind = 'source' AND id ${tx.dialect.among(sourceIds)}`)
  const spaces = new Map(rows.map(({ id, document }) => [id, spaceIn(document)]))
  return new Map(sourceIds.map((id) => [id, spaces.get(id) ?? DEFAULT_SPACE]))
}

/** The space of a catalog record. Parsed here, because PostgreSQL cannot parse JSON with U+0000. */
function spaceIn(document: string): string {
  return (JSON.parse(document) as { readonly space?: string }).space ?? DEFAULT_SPACE
}
