import type { ProfileChange } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'

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

export interface StoredClaim {
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
export async function putClaims(
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
  const later = all.filter((claim) => !isFirst(claim))
  await writeClaims(tx, later)
  await writeClaims(tx, all.filter(isFirst))
  return { users, added: all.filter((claim) => !before.has(pairOf(claim))) }

  function keep(claim: StoredClaim): void {
    known.set(pairOf(claim), claim)
    changed.set(pairOf(claim), claim)
  }
}

function claimOf(named: NamedTogether): StoredClaim {
  return {
    user: named.user,
    other: named.other,
    at: named.timestamp,
    received_at: named.receivedAt,
    message_id: named.messageId,
    event_id: named.eventId,
    source_id: named.sourceId,
    is_first: false,
  }
}

function pairOf({ user, other }: { readonly user: number; readonly other: number }): string {
  return `${other} ${user}`
}

export function isFirst({ is_first }: StoredClaim): boolean {
  return Boolean(is_first)
}

export type Moment = Pick<StoredClaim, 'at' | 'received_at' | 'message_id' | 'source_id'>

/** Orders as `isEarlier` does. */
export const BY_MOMENT = sql`at, received_at, message_id, source_id`

/**
 * By the effective time, then the time of receipt, then the messageId, which two sources may both use: the same on every node, in
 * any order of arrival.
 */
export function isEarlier(a: Moment, b: Moment): boolean {
  if (a.at !== b.at) return a.at < b.at
  if (a.received_at !== b.received_at) return a.received_at < b.received_at
  const order = compareText(a.message_id, b.message_id) || compareText(a.source_id, b.source_id)
  return order < 0
}

/** The order of texts in both databases. */
export function compareText(a: string, b: string): number {
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
export async function putAliases(
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

export interface Alias extends Omit<StoredClaim, 'is_first'> {
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
      WHERE is_linked AND identity IN (${numbersIn(tx, next)})`)
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
