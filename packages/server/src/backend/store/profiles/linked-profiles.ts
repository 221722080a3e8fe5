import type { UnlinkedIds } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countProfiles, lockIdentities, touchProfiles } from './identities.ts'
import {
  type Alias,
  compareText,
  groupsOf,
  isEarlier,
  isFirst,
  type Moment,
  type NamedTogether,
  putAliases,
  putClaims,
  type StoredClaim,
} from './links.ts'
import { lockProfiles } from './lock-profiles.ts'

interface AddedLinks {
  /** Those that are new, and link nothing. */
  readonly refused: readonly UnlinkedIds[]
  /** How many ids the largest profile has that was linked anew; 0 for none. */
  readonly largest: number
}

/**
 * Adds claims of anonymousIds, and aliases. Of each pair the earliest event counts, and of each anonymousId the earliest claim. Then
 * links anew what this concerns.
 */
export async function addLinks(
  tx: Tx,
  links: { readonly claims: readonly NamedTogether[]; readonly aliases: readonly NamedTogether[] },
  at: number,
): Promise<AddedLinks> {
  const claims = await putClaims(tx, links.claims)
  const aliases = await putAliases(tx, links.aliases)
  const users = new Set([...claims.users, ...aliases.users])
  const leaders = users.size > 0 ? await relink(tx, [...users], at) : new Map<number, number>()
  const later = claims.added.filter((claim) => !isFirst(claim))
  const others = await apart(tx, later)
  const beyond = claims.added.filter((claim) => isFirst(claim) && !leaders.has(claim.other))
  const sizes = Map.groupBy(leaders.values(), (leader) => leader)
  return {
    refused: [
      ...others.map((claim) => refusedBy(claim, 'other_user')),
      ...[...beyond, ...aliases.refused].map((link) => refusedBy(link, 'limit')),
    ],
    largest: [...sizes.values()].reduce((most, { length }) => Math.max(most, length), 0),
  }
}

/** Those of other profiles: a user whom an alias made one with the first user has the id, too. */
async function apart(tx: Tx, claims: readonly StoredClaim[]): Promise<readonly StoredClaim[]> {
  if (claims.length === 0) return claims
  const ids = claims.flatMap(({ user, other }) => [user, other])
  const rows = await tx.all(sql<{ readonly id: number; readonly profile: number }>`
    SELECT id, profile FROM identities
    WHERE id IN (${numbersIn(tx, ids)})`)
  const profiles = new Map(rows.map(({ id, profile }) => [id, profile]))
  return claims.filter(({ user, other }) => profiles.get(user) !== profiles.get(other))
}

function refusedBy({ source_id: sourceId }: Alias | StoredClaim, reason: UnlinkedIds['reason']) {
  return { sourceId, reason, ids: 1 }
}

/** An identity, and the one that leads its profile now. */
interface Member {
  readonly id: number
  readonly kind: string
  readonly space: string
  readonly profile: number
  readonly dirty_since: number | null
}

interface Move extends Member {
  readonly to: number
}

/**
 * Puts the users, those that aliases make one with them, and the anonymousIds that they claimed first, into the profiles that they
 * belong to. Profiles that change are dirty since `at`. The user with the least number leads the profile. Resolves to the leader of
 * each identity of these profiles.
 *
 * @param others anonymousIds that lead profiles of their own, unless one of the users has them
 */
export async function relink(
  tx: Tx,
  users: readonly number[],
  at: number,
  others: readonly number[] = [],
): Promise<ReadonlyMap<number, number>> {
  const groups = new Map((await groupsOf(tx, users)).map((group) => [Math.min(...group), group]))
  const wanted = await linkedTo(tx, groups)
  for (const [leader, group] of groups) for (const user of group) wanted.set(user, leader)
  const moves = (await membersOf(tx, [...wanted.keys(), ...others])).flatMap((member): Move[] => {
    // What belongs to one of these profiles, and is no longer claimed, leads one of its own.
    const to = wanted.get(member.id) ?? member.id
    return to === member.profile ? [] : [{ ...member, to }]
  })
  if (moves.length > 0) await move(tx, moves, at)
  return wanted
}

interface ClaimOfGroup extends Moment {
  readonly leader: number
  readonly anonymous: number
  readonly name: string
}

/**
 * The anonymousIds that users of each group claimed first, with its leader: the earliest, as many as a profile may have.
 *
 * @param groups by their leaders
 */
async function linkedTo(
  tx: Tx,
  groups: ReadonlyMap<number, readonly number[]>,
): Promise<Map<number, number>> {
  const { maxLinks } = await lockProfiles(tx)
  const users = [...groups].flatMap(([leader, group]) => group.map((user) => ({ leader, user })))
  const rows = await tx.all(sql<ClaimOfGroup>`
    SELECT leader, anonymous, name, claims.at AS at, claims.received_at AS received_at, message_id, source_id
    FROM ${tx.dialect.given(await withEnds(tx, users, maxLinks))}
    JOIN claims ON claimer = given.id AND is_first JOIN identities ON identities.id = anonymous
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

interface UserOfGroup {
  readonly leader: number
  readonly user: number
}

/** The users as columns, with the moment of the first claim that a profile has no room for: so no more claims are read than that. */
async function withEnds(tx: Tx, users: readonly UserOfGroup[], maxLinks: number) {
  const next = (column: Statement): Statement => sql`(
    SELECT ${column} FROM claims WHERE claimer = given.id AND is_first
    ORDER BY at, received_at LIMIT 1 OFFSET ${maxLinks})`
  const rows = await tx.all(sql<{
    readonly id: number
    readonly at: number | null
    readonly received_at: number | null
  }>`SELECT id, ${next(sql`at`)} AS at, ${next(sql`received_at`)} AS received_at
    FROM ${tx.dialect.given({ id: ['number', users.map(({ user }) => user)] })}`)
  const ends = new Map(rows.map((row) => [row.id, row]))
  const never = Number.MAX_SAFE_INTEGER
  return {
    leader: ['number', users.map(({ leader }) => leader)],
    id: ['number', users.map(({ user }) => user)],
    end_at: ['number', users.map(({ user }) => ends.get(user)?.at ?? never)],
    end_received_at: ['number', users.map(({ user }) => ends.get(user)?.received_at ?? never)],
  } as const
}

/** These identities, and the others of the profiles that they belong to now. */
async function membersOf(tx: Tx, ids: readonly number[]): Promise<readonly Member[]> {
  const select = (where: Statement): Statement<Member> =>
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
    UPDATE identities SET profile = given.profile
    FROM ${tx.dialect.given({
      id: ['number', moves.map(({ id }) => id)],
      profile: ['number', moves.map(({ to }) => to)],
    })} WHERE identities.id = given.id`)
  const ended = moves.filter(({ id, profile }) => id === profile)
  await endProfiles(tx, ended)
  await countProfiles(tx, [
    ...ended.map(({ space }) => ({ space, change: -1 })),
    ...moves.filter(({ id, to }) => id === to).map(({ space }) => ({ space, change: 1 })),
  ])
  await touchProfiles(tx, profiles, at)
}

/** Gives the results of profiles to those that they have become part of. What became dirty first waits longest there, too. */
async function endProfiles(tx: Tx, ended: readonly Move[]): Promise<void> {
  if (ended.length === 0) return
  await copyResults(tx, ended)
  const ids = ended.map(({ id }) => id)
  const gone = numbersIn(tx, ids)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${gone})`)
  const since = new Map<number, number>()
  for (const { to, dirty_since: waits } of ended)
    if (waits !== null) since.set(to, Math.min(waits, since.get(to) ?? waits))
  await tx.run(sql`
    UPDATE identities SET dirty_since = given.since
    FROM ${tx.dialect.given({
      id: ['number', [...since.keys()]],
      since: ['number', [...since.values()]],
    })} WHERE identities.id = given.id AND coalesce(dirty_since > given.since, true)`)
  await tx.run(sql`
    UPDATE identities SET dirty_since = NULL, recheck_at = NULL, version = version + 1
    WHERE id IN (${gone})`)
}

/** Copies results from profiles that end. One that has a result of the computation keeps its own. */
async function copyResults(tx: Tx, ended: readonly Move[]): Promise<void> {
  const given = tx.dialect.given({
    gone: ['number', ended.map(({ id }) => id)],
    kept: ['number', ended.map(({ to }) => to)],
  })
  await tx.run(sql`
    INSERT INTO results (profile, computation, value, since)
    SELECT kept, computation, value, since FROM ${given} JOIN results ON profile = gone WHERE true
    ORDER BY gone ON CONFLICT (profile, computation) DO NOTHING`)
}
