import type { UnlinkedIds } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countProfiles, lockIdentities, touchProfiles } from './identities.ts'
import {
  type Alias,
  compareText,
  groupsOf,
  type IdentityPair,
  isEarlier,
  isFirst,
  type LinkOrder,
  putAliases,
  putClaims,
  type StoredClaim,
} from './links.ts'
import { lockProfiles } from './lock-profiles.ts'

/** Adds claims and aliases, and relinks the affected profiles. The earliest of several events for a pair counts. */
export async function addLinks(
  tx: Tx,
  links: { readonly claims: readonly IdentityPair[]; readonly aliases: readonly IdentityPair[] },
  at: number,
) {
  const claims = await putClaims(tx, links.claims)
  const aliases = await putAliases(tx, links.aliases)
  const users = new Set([...claims.users, ...aliases.users])
  const leaders = users.size > 0 ? await relink(tx, [...users], at) : new Map<number, number>()
  const laterClaims = claims.added.filter((claim) => !isFirst(claim))
  const others = await conflictingClaims(tx, laterClaims)
  const beyond = claims.added.filter((claim) => isFirst(claim) && !leaders.has(claim.other))
  const sizes = Map.groupBy(leaders.values(), (leader) => leader)
  return {
    refused: [
      ...others.map((claim) => refusedBy(claim, 'other_user')),
      ...[...beyond, ...aliases.refused].map((link) => refusedBy(link, 'limit')),
    ],
    largest: [...sizes.values()].reduce((max, { length }) => Math.max(max, length), 0),
  }
}

/** Claims whose user is not in the profile of the claimed id. Users joined by an alias share a profile, so their claims do not conflict. */
async function conflictingClaims(
  tx: Tx,
  claims: readonly StoredClaim[],
): Promise<readonly StoredClaim[]> {
  if (claims.length === 0) return claims
  const ids = claims.flatMap(({ user, other }) => [user, other])
  const rows = await tx.all(sql<{ readonly id: number; readonly profile: number }>`
    SELECT id, profile FROM identities WHERE id IN (${numbersIn(tx, ids)})`)
  const profiles = new Map(rows.map(({ id, profile }) => [id, profile]))
  return claims.filter(({ user, other }) => profiles.get(user) !== profiles.get(other))
}

function refusedBy({ sourceId }: Alias | StoredClaim, reason: UnlinkedIds['reason']) {
  return { sourceId, reason, ids: 1 }
}

interface LinkedIdentity {
  readonly id: number
  readonly kind: string
  readonly space: string
  readonly profile: number
  readonly dirty_since: number | null
}

interface Move extends LinkedIdentity {
  readonly to: number
}

/**
 * Moves users, the users that aliases join with them, their anonymousIds, and `others` (more
 * anonymousIds, which lead their own profiles unless linked) to their profiles. The user with the
 * lowest number leads. Resolves to the leader of each linked identity.
 */
export async function relink(
  tx: Tx,
  users: readonly number[],
  at: number,
  others: readonly number[] = [],
): Promise<ReadonlyMap<number, number>> {
  const groups = new Map((await groupsOf(tx, users)).map((group) => [Math.min(...group), group]))
  const targets = await linkedTo(tx, groups)
  for (const [leader, group] of groups) for (const user of group) targets.set(user, leader)
  const moves = (await identitiesWith(tx, [...targets.keys(), ...others])).flatMap(
    (identity): Move[] => {
      // An unclaimed identity leads its own profile.
      const to = targets.get(identity.id) ?? identity.id
      return to === identity.profile ? [] : [{ ...identity, to }]
    },
  )
  if (moves.length > 0) await move(tx, moves, at)
  return targets
}

interface ClaimOfGroup extends LinkOrder {
  readonly leader: number
  readonly anonymous: number
  readonly name: string
}

/** The anonymousIds that users of each group claimed first, up to the limit of a profile, with the group's leader. */
async function linkedTo(tx: Tx, groups: ReadonlyMap<number, readonly number[]>) {
  const { maxLinks } = await lockProfiles(tx)
  const users = [...groups].flatMap(([leader, group]) => group.map((id) => ({ leader, id })))
  // The first claim beyond a user's limit, so that no later claims are read.
  const end = (column: Statement): Statement => sql`coalesce((
    SELECT ${column} FROM claims WHERE claimer = input.id AND is_first
    ORDER BY at, received_at LIMIT 1 OFFSET ${maxLinks}), ${Number.MAX_SAFE_INTEGER})`
  const rows = await tx.all(sql<ClaimOfGroup>`
    WITH users AS MATERIALIZED (
      SELECT leader, id, ${end(sql`at`)} AS end_at, ${end(sql`received_at`)} AS end_received_at
      FROM ${tx.dialect.rows(users, { number: ['leader', 'id'] })})
    SELECT leader, anonymous, name, claims.at AS at, claims.received_at AS "receivedAt",
      message_id AS "messageId", source_id AS "sourceId"
    FROM users JOIN claims ON claimer = users.id AND is_first JOIN identities ON identities.id = anonymous
    WHERE claims.at <= end_at AND (claims.at < end_at OR claims.received_at <= end_received_at)`)
  const linked = [...Map.groupBy(rows, ({ leader }) => leader).values()].flatMap((claims) =>
    claims
      .toSorted((a, b) =>
        isEarlier(a, b) ? -1 : isEarlier(b, a) ? 1 : compareText(a.name, b.name),
      )
      .slice(0, maxLinks),
  )
  return new Map(linked.map(({ anonymous, leader }) => [anonymous, leader]))
}

/** These identities, and the others of their current profiles. */
async function identitiesWith(tx: Tx, ids: readonly number[]): Promise<readonly LinkedIdentity[]> {
  const select = (where: Statement): Statement<LinkedIdentity> =>
    sql`SELECT id, kind, space, profile, dirty_since FROM identities WHERE ${where}`
  const named = await tx.all(select(sql`id IN (${numbersIn(tx, ids)})`))
  const profiles = [...new Set(named.map(({ profile }) => profile))]
  const all = await tx.all(select(sql`profile IN (${numbersIn(tx, profiles)})`))
  return [...new Map([...named, ...all].map((each) => [each.id, each])).values()]
}

async function move(tx: Tx, moves: readonly Move[], at: number): Promise<void> {
  const profiles = [...new Set(moves.flatMap(({ profile, to }) => [profile, to]))]
  await lockIdentities(tx, [...profiles, ...moves.map(({ id }) => id)])
  await tx.run(sql`
    UPDATE identities SET profile = input."to"
    FROM ${tx.dialect.rows(moves, { number: ['id', 'to'] })} WHERE identities.id = input.id`)
  const ended = moves.filter(({ id, profile }) => id === profile)
  await endProfiles(tx, ended)
  await countProfiles(tx, [
    ...ended.map(({ space }) => ({ space, change: -1 })),
    ...moves.filter(({ id, to }) => id === to).map(({ space }) => ({ space, change: 1 })),
  ])
  await touchProfiles(tx, profiles, at)
}

/**
 * Moves the results of ended profiles to their new profiles. A new profile gets the earliest
 * `dirty_since` of itself and the ended profiles.
 */
async function endProfiles(tx: Tx, ended: readonly Move[]): Promise<void> {
  if (ended.length === 0) return
  await copyResults(tx, ended)
  const ids = ended.map(({ id }) => id)
  const endedIds = numbersIn(tx, ids)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${endedIds})`)
  const sinceById = new Map<number, number>()
  for (const { to, dirty_since: since } of ended)
    if (since !== null) sinceById.set(to, Math.min(since, sinceById.get(to) ?? since))
  const dirty = [...sinceById].map(([id, since]) => ({ id, since }))
  await tx.run(sql`
    UPDATE identities SET dirty_since = input.since
    FROM ${tx.dialect.rows(dirty, { number: ['id', 'since'] })}
    WHERE identities.id = input.id AND coalesce(dirty_since > input.since, true)`)
  await tx.run(sql`
    UPDATE identities SET dirty_since = NULL, recheck_at = NULL, version = version + 1
    WHERE id IN (${endedIds})`)
}

/** Copies results from ended profiles. Existing results of the same computation are kept. */
async function copyResults(tx: Tx, ended: readonly Move[]): Promise<void> {
  const input = tx.dialect.rows(ended, { number: ['id', 'to'] })
  await tx.run(sql`
    INSERT INTO results (profile, computation, value, since)
    SELECT "to", computation, value, since FROM ${input} JOIN results ON profile = input.id WHERE true
    ORDER BY input.id ON CONFLICT (profile, computation) DO NOTHING`)
}
