import type { ProfileChange, UnlinkedIds } from '../../profiles.ts'
import { sql, type Statement } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countProfiles, lockIdentities, lockProfiles, touchProfiles } from './identities.ts'

/** An event that names two identities, by their numbers. */
export interface NamedTogether extends Pick<
  ProfileChange,
  'timestamp' | 'receivedAt' | 'messageId' | 'eventId' | 'sourceId'
> {
  readonly user: number
  /** The anonymousId that the user claims, or the other user of an alias. */
  readonly other: number
}

/** Users whose aliases make them one, at most. An alias that would make more is kept, and links nothing. */
const MAX_ALIASES = 100

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
  const others = await apart(
    tx,
    claims.added.filter((claim) => !isFirst(claim)),
  )
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
    WHERE id IN (SELECT id FROM ${tx.dialect.given({ id: ['number', ids] })})`)
  const profiles = new Map(rows.map(({ id, profile }) => [id, profile]))
  return claims.filter(({ user, other }) => profiles.get(user) !== profiles.get(other))
}

function refusedBy({ source_id: sourceId }: Alias | StoredClaim, reason: UnlinkedIds['reason']) {
  return { sourceId, reason, ids: 1 }
}

interface StoredClaim {
  readonly user: number
  readonly other: number
  readonly at: number
  readonly received_at: number
  readonly message_id: string
  readonly event_id: string
  readonly source_id: string
  readonly is_first: boolean | number
}

const CLAIM = sql`claims.claimer AS "user", claims.anonymous AS other, claims.at AS at,
  claims.received_at AS received_at, claims.message_id AS message_id, claims.event_id AS event_id,
  claims.source_id AS source_id, claims.is_first AS is_first`

/** Returns the users whose first claims have changed, and the claims of pairs that are new. */
async function putClaims(
  tx: Tx,
  claims: readonly NamedTogether[],
): Promise<{ readonly users: ReadonlySet<number>; readonly added: readonly StoredClaim[] }> {
  const users = new Set<number>()
  if (claims.length === 0) return { users, added: [] }
  const pairs = { other: claims.map(({ other }) => other), user: claims.map(({ user }) => user) }
  const given = tx.dialect.given({
    other: ['number', pairs.other],
    claimer: ['number', pairs.user],
  })
  const stored = await tx.all(sql<StoredClaim>`
    SELECT ${CLAIM} FROM claims WHERE is_first AND anonymous IN (SELECT other FROM ${given})
    UNION ALL SELECT ${CLAIM} FROM claims
    WHERE NOT is_first AND (anonymous, claimer) IN (SELECT other, claimer FROM ${given})`)
  const known = new Map(stored.map((claim) => [pairOf(claim), claim]))
  const before = new Set(known.keys())
  const first = new Map(stored.filter(isFirst).map((claim) => [claim.other, claim]))
  const changed = new Map<string, StoredClaim>()
  for (const claim of claims.map(claimOf)) {
    const earliest = known.get(pairOf(claim))
    if (earliest !== undefined && !isEarlier(claim, earliest)) continue
    const ofFirst = first.get(claim.other)
    const becomesFirst = ofFirst === undefined || isEarlier(claim, ofFirst)
    const next = { ...claim, is_first: becomesFirst || ofFirst.user === claim.user }
    if (becomesFirst && ofFirst !== undefined && ofFirst.user !== claim.user) {
      users.add(ofFirst.user)
      keep({ ...ofFirst, is_first: false })
    }
    if (next.is_first) {
      users.add(claim.user)
      first.set(claim.other, next)
    }
    keep(next)
  }
  // Each anonymousId has one first claim at most, at any moment.
  const all = [...changed.values()]
  await writeClaims(
    tx,
    all.filter((claim) => !isFirst(claim)),
  )
  await writeClaims(tx, all.filter(isFirst))
  return { users, added: all.filter((claim) => !before.has(pairOf(claim))) }

  function keep(claim: StoredClaim): void {
    known.set(pairOf(claim), claim)
    changed.set(pairOf(claim), claim)
  }
}

function claimOf({
  user,
  other,
  timestamp,
  receivedAt,
  messageId,
  ...from
}: NamedTogether): StoredClaim {
  return {
    user,
    other,
    at: timestamp,
    received_at: receivedAt,
    message_id: messageId,
    event_id: from.eventId,
    source_id: from.sourceId,
    is_first: false,
  }
}

function pairOf({ user, other }: { readonly user: number; readonly other: number }): string {
  return `${other} ${user}`
}

function isFirst({ is_first }: StoredClaim): boolean {
  return Boolean(is_first)
}

type Moment = Pick<StoredClaim, 'at' | 'received_at' | 'message_id'>

/** By the effective time, then the time of receipt, then the messageId: the same on every node, in any order of arrival. */
function isEarlier(a: Moment, b: Moment): boolean {
  if (a.at !== b.at) return a.at < b.at
  if (a.received_at !== b.received_at) return a.received_at < b.received_at
  return inOrder(a.message_id, b.message_id) < 0
}

/** The order of both databases. */
function inOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

async function writeClaims(tx: Tx, claims: readonly StoredClaim[]): Promise<void> {
  if (claims.length === 0) return
  await tx.run(sql`
    INSERT INTO claims (anonymous, claimer, at, received_at, message_id, event_id, source_id, is_first)
    SELECT anonymous, claimer, at, received_at, message_id, event_id, source_id, is_first = 1
    FROM ${tx.dialect.given({
      anonymous: ['number', claims.map(({ other }) => other)],
      claimer: ['number', claims.map(({ user }) => user)],
      at: ['number', claims.map(({ at }) => at)],
      received_at: ['number', claims.map((claim) => claim.received_at)],
      message_id: ['text', claims.map((claim) => claim.message_id)],
      event_id: ['text', claims.map((claim) => claim.event_id)],
      source_id: ['text', claims.map((claim) => claim.source_id)],
      is_first: ['number', claims.map((claim) => Number(claim.is_first))],
    })} WHERE true
    ON CONFLICT (anonymous, claimer) DO UPDATE SET at = excluded.at, received_at = excluded.received_at,
      message_id = excluded.message_id, event_id = excluded.event_id, source_id = excluded.source_id,
      is_first = excluded.is_first`)
}

/** Returns the users whom a new alias makes one, and the new aliases that link nothing. */
async function putAliases(
  tx: Tx,
  aliases: readonly NamedTogether[],
): Promise<{ readonly users: ReadonlySet<number>; readonly refused: readonly Alias[] }> {
  const users = new Set<number>()
  if (aliases.length === 0) return { users, refused: [] }
  const known = await aliasesOf(tx, aliases)
  const groups = await sharedGroups(tx, aliases)
  const changed: Alias[] = []
  const refused: Alias[] = []
  for (const alias of aliases) {
    const next = aliasOf(alias)
    const before = known.get(pairOf(next))
    if (before !== undefined && !isEarlier(next, before)) continue
    const isLinked = Boolean(before?.is_linked) || unite(groups, next)
    const kept = { ...next, is_linked: isLinked }
    for (const each of [kept, { ...kept, user: kept.other, other: kept.user }]) {
      known.set(pairOf(each), each)
      changed.push(each)
    }
    if (isLinked) users.add(next.user)
    else if (before === undefined) refused.push(kept)
  }
  await writeAliases(tx, changed)
  return { users, refused }
}

/** The users that are one with each user of these aliases. */
async function sharedGroups(
  tx: Tx,
  aliases: readonly NamedTogether[],
): Promise<Map<number, Set<number>>> {
  const users = aliases.flatMap(({ user, other }) => [user, other])
  const groups = (await groupsOf(tx, users)).map((group) => new Set(group))
  return new Map(groups.flatMap((group) => [...group].map((user) => [user, group] as const)))
}

/** Makes two users one, unless they would be too many. Returns whether they are one. */
function unite(groups: Map<number, Set<number>>, { user, other }: Alias): boolean {
  const [a, b] = [groups.get(user)!, groups.get(other)!]
  if (a === b) return true
  if (a.size + b.size > MAX_ALIASES) return false
  for (const each of b) groups.set(each, a.add(each))
  return true
}

interface Alias extends Omit<StoredClaim, 'is_first'> {
  readonly is_linked: boolean | number
}

function aliasOf(named: NamedTogether): Alias {
  const { is_first: _, ...alias } = claimOf(named)
  return { ...alias, is_linked: false }
}

async function aliasesOf(tx: Tx, named: readonly NamedTogether[]): Promise<Map<string, Alias>> {
  const rows = await tx.all(sql<Alias>`
    SELECT identity AS "user", partner AS other, at, received_at, message_id, event_id, source_id, is_linked
    FROM ${tx.dialect.given({
      owner: ['number', named.map(({ user }) => user)],
      other: ['number', named.map(({ other }) => other)],
    })} JOIN aliases ON identity = given.owner AND partner = given.other`)
  return new Map(rows.map((row) => [pairOf(row), row]))
}

async function writeAliases(tx: Tx, aliases: readonly Alias[]): Promise<void> {
  const rows = [...new Map(aliases.map((each) => [pairOf(each), each])).values()]
  if (rows.length === 0) return
  await tx.run(sql`
    INSERT INTO aliases (identity, partner, at, received_at, message_id, event_id, source_id, is_linked)
    SELECT identity, partner, at, received_at, message_id, event_id, source_id, is_linked = 1
    FROM ${tx.dialect.given({
      identity: ['number', rows.map(({ user }) => user)],
      partner: ['number', rows.map(({ other }) => other)],
      at: ['number', rows.map(({ at }) => at)],
      received_at: ['number', rows.map((row) => row.received_at)],
      message_id: ['text', rows.map((row) => row.message_id)],
      event_id: ['text', rows.map((row) => row.event_id)],
      source_id: ['text', rows.map((row) => row.source_id)],
      is_linked: ['number', rows.map((row) => Number(row.is_linked))],
    })} WHERE true
    ON CONFLICT (identity, partner) DO UPDATE SET at = excluded.at, received_at = excluded.received_at,
      message_id = excluded.message_id, event_id = excluded.event_id, source_id = excluded.source_id,
      is_linked = excluded.is_linked`)
}

/** The users that aliases make one with each of these. */
export async function groupsOf(tx: Tx, users: readonly number[]): Promise<readonly number[][]> {
  const partners = new Map<number, number[]>()
  for (let next = [...new Set(users)]; next.length > 0;) {
    for (const user of next) partners.set(user, [])
    const rows = await tx.all(sql<{ readonly identity: number; readonly partner: number }>`
      SELECT identity, partner FROM aliases
      WHERE is_linked AND identity IN (SELECT id FROM ${tx.dialect.given({ id: ['number', next] })})`)
    for (const { identity, partner } of rows) partners.get(identity)!.push(partner)
    next = [...new Set(rows.map(({ partner }) => partner))].filter((each) => !partners.has(each))
  }
  const grouped = new Set<number>()
  return [...partners.keys()].flatMap((user) => {
    if (grouped.has(user)) return []
    const group = [user]
    // It grows while it is read.
    for (const each of group) {
      grouped.add(each)
      for (const partner of partners.get(each)!)
        if (!grouped.has(partner) && !group.includes(partner)) group.push(partner)
    }
    return [group]
  })
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
  // The one after those of the user that have room, if there is one. A call that is an alias claims two ids at one moment.
  const nth = (column: Statement): Statement => sql`coalesce((
    SELECT ${column} FROM claims AS nth WHERE nth.claimer = given.id AND nth.is_first
    ORDER BY nth.at, nth.received_at LIMIT 1 OFFSET ${maxLinks}), ${Number.MAX_SAFE_INTEGER})`
  const rows = await tx.all(sql<ClaimOfGroup>`
    SELECT leader, anonymous, name, at, received_at, message_id
    FROM ${tx.dialect.given({
      leader: ['number', users.map(({ leader }) => leader)],
      id: ['number', users.map(({ user }) => user)],
    })} JOIN claims ON claimer = given.id AND is_first JOIN identities ON identities.id = anonymous
    WHERE at <= ${nth(sql`nth.at`)} AND (at < ${nth(sql`nth.at`)} OR claims.received_at <= ${nth(sql`nth.received_at`)})`)
  const linked = [...Map.groupBy(rows, ({ leader }) => leader).values()].flatMap((claims) =>
    claims
      .toSorted((a, b) => (isEarlier(a, b) ? -1 : isEarlier(b, a) ? 1 : inOrder(a.name, b.name)))
      .slice(0, maxLinks),
  )
  return new Map(linked.map(({ anonymous, leader }) => [anonymous, leader]))
}

/** These identities, and the others of the profiles that they belong to now. */
async function membersOf(tx: Tx, ids: readonly number[]): Promise<readonly Member[]> {
  const select = (where: Statement): Statement<Member> =>
    sql`SELECT id, kind, space, profile, dirty_since FROM identities WHERE ${where}`
  const named = await tx.all(
    select(sql`id IN (SELECT id FROM ${tx.dialect.given({ id: ['number', ids] })})`),
  )
  const profiles = [...new Set(named.map(({ profile }) => profile))]
  const all = await tx.all(
    select(sql`profile IN (SELECT id FROM ${tx.dialect.given({ id: ['number', profiles] })})`),
  )
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
  await copyResults(
    tx,
    ended.map(({ id, to }) => ({ from: id, to })),
  )
  const gone = tx.dialect.given({ id: ['number', ended.map(({ id }) => id)] })
  await tx.run(sql`DELETE FROM results WHERE profile IN (SELECT id FROM ${gone})`)
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
    WHERE id IN (SELECT id FROM ${gone})`)
}

/** Copies results from one profile to another. One that has a result of the computation keeps its own. */
async function copyResults(
  tx: Tx,
  heirs: readonly { readonly from: number; readonly to: number }[],
): Promise<void> {
  if (heirs.length === 0) return
  const given = tx.dialect.given({
    gone: ['number', heirs.map(({ from }) => from)],
    kept: ['number', heirs.map(({ to }) => to)],
  })
  await tx.run(sql`
    INSERT INTO results (profile, computation, value, since)
    SELECT kept, computation, value, since FROM ${given} JOIN results ON profile = gone WHERE true
    ORDER BY gone ON CONFLICT (profile, computation) DO NOTHING`)
}
