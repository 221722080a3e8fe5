import type { ProfileChange } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'

/** An event with two identities, by their numbers. */
export interface IdentityPair extends Pick<
  ProfileChange,
  'timestamp' | 'receivedAt' | 'messageId' | 'eventId' | 'sourceId'
> {
  readonly user: number
  /** The anonymousId that the user claims, or the other user of an alias. */
  readonly other: number
}

/**
 * Maximum number of users that aliases join. An alias that would join more is stored, but links
 * nothing.
 */
const MAX_JOINED_USERS = 100

interface StoredLink extends Omit<IdentityPair, 'timestamp'> {
  readonly at: number
}

export interface StoredClaim extends StoredLink {
  readonly isFirst: boolean | number
}

const LINK = sql`at, received_at AS "receivedAt", message_id AS "messageId", event_id AS "eventId",
  source_id AS "sourceId"`
const CLAIM = sql`claimer AS "user", anonymous AS other, ${LINK}, is_first AS "isFirst"`

/** Returns the users whose first claims have changed, and the claims of new pairs. */
export async function putClaims(
  tx: Tx,
  claims: readonly IdentityPair[],
): Promise<{ readonly users: ReadonlySet<number>; readonly added: readonly StoredClaim[] }> {
  const users = new Set<number>()
  if (claims.length === 0) return { users, added: [] }
  const input = tx.dialect.rows(claims, { number: ['other', 'user'] })
  const stored = await tx.all(sql<StoredClaim>`
    SELECT ${CLAIM} FROM claims WHERE is_first AND anonymous IN (SELECT other FROM ${input})
    UNION ALL SELECT ${CLAIM} FROM claims
    WHERE NOT is_first AND (anonymous, claimer) IN (SELECT other, "user" FROM ${input})`)
  const known = new Map(stored.map((claim) => [pairOf(claim), claim]))
  const before = new Set(known.keys())
  const first = new Map(stored.filter(isFirst).map((claim) => [claim.other, claim]))
  const changed = new Map<string, StoredClaim>()
  for (const claim of claims.map(linkOf)) {
    const earliest = known.get(pairOf(claim))
    if (earliest !== undefined && !isEarlier(claim, earliest)) continue
    const ofFirst = first.get(claim.other)
    const becomesFirst = ofFirst === undefined || isEarlier(claim, ofFirst)
    const next = { ...claim, isFirst: becomesFirst || ofFirst.user === claim.user }
    if (becomesFirst && ofFirst !== undefined && ofFirst.user !== claim.user) {
      users.add(ofFirst.user)
      keep({ ...ofFirst, isFirst: false })
    }
    if (next.isFirst) {
      users.add(claim.user)
      first.set(claim.other, next)
    }
    keep(next)
  }
  // Later claims are written first, so that an anonymousId never has two first claims.
  const all = [...changed.values()]
  const laterClaims = all.filter((claim) => !isFirst(claim))
  await writeClaims(tx, laterClaims)
  await writeClaims(tx, all.filter(isFirst))
  return { users, added: all.filter((claim) => !before.has(pairOf(claim))) }

  function keep(claim: StoredClaim): void {
    known.set(pairOf(claim), claim)
    changed.set(pairOf(claim), claim)
  }
}

function linkOf({ timestamp, ...named }: IdentityPair): StoredLink {
  return { ...named, at: timestamp }
}

function pairOf({ user, other }: { readonly user: number; readonly other: number }): string {
  return `${other} ${user}`
}

export function isFirst(claim: StoredClaim): boolean {
  return Boolean(claim.isFirst)
}

/** The fields that order links. */
export type LinkOrder = Pick<StoredLink, 'at' | 'receivedAt' | 'messageId' | 'sourceId'>

export const LINK_ORDER = sql`at, received_at, message_id, source_id`

/** By effective time, time of receipt, messageId and source: the same on every node, in any order of arrival. */
export function isEarlier(a: LinkOrder, b: LinkOrder): boolean {
  if (a.at !== b.at) return a.at < b.at
  if (a.receivedAt !== b.receivedAt) return a.receivedAt < b.receivedAt
  const order = compareText(a.messageId, b.messageId) || compareText(a.sourceId, b.sourceId)
  return order < 0
}

/** Orders strings as both databases do. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

async function writeClaims(tx: Tx, claims: readonly StoredClaim[]): Promise<void> {
  if (claims.length === 0) return
  const input = tx.dialect.rows(claims, {
    text: ['messageId', 'eventId', 'sourceId'],
    number: ['other', 'user', 'at', 'receivedAt', 'isFirst'],
  })
  await tx.run(sql`
    INSERT INTO claims (anonymous, claimer, at, received_at, message_id, event_id, source_id, is_first)
    SELECT other, "user", at, received_at, message_id, event_id, source_id, is_first = 1
    FROM ${input} WHERE true
    ON CONFLICT (anonymous, claimer) DO UPDATE SET at = excluded.at, received_at = excluded.received_at,
      message_id = excluded.message_id, event_id = excluded.event_id, source_id = excluded.source_id,
      is_first = excluded.is_first`)
}

/** Returns the users with new linked aliases, and the new aliases that link nothing. */
export async function putAliases(
  tx: Tx,
  aliases: readonly IdentityPair[],
): Promise<{ readonly users: ReadonlySet<number>; readonly refused: readonly Alias[] }> {
  const users = new Set<number>()
  if (aliases.length === 0) return { users, refused: [] }
  const known = await aliasesOf(tx, aliases)
  const groups = await sharedGroups(tx, aliases)
  const changed: Alias[] = []
  const refused: Alias[] = []
  for (const alias of aliases) {
    const next = linkOf(alias)
    const before = known.get(pairOf(next))
    if (before !== undefined && !isEarlier(next, before)) continue
    const isLinked = Boolean(before?.isLinked) || unite(groups, next)
    const updated = { ...next, isLinked }
    for (const each of [updated, { ...updated, user: updated.other, other: updated.user }]) {
      known.set(pairOf(each), each)
      changed.push(each)
    }
    if (isLinked) users.add(next.user)
    else if (before === undefined) refused.push(updated)
  }
  await writeAliases(tx, changed)
  return { users, refused }
}

/** The users joined with each user of these aliases. */
async function sharedGroups(tx: Tx, aliases: readonly IdentityPair[]) {
  const users = aliases.flatMap(({ user, other }) => [user, other])
  const groups = (await groupsOf(tx, users)).map((group) => new Set(group))
  return new Map(groups.flatMap((group) => [...group].map((user) => [user, group] as const)))
}

/** Joins two users, unless the group would be too large. Returns whether they are joined. */
function unite(groups: Map<number, Set<number>>, { user, other }: StoredLink): boolean {
  const [a, b] = [groups.get(user)!, groups.get(other)!]
  if (a === b) return true
  if (a.size + b.size > MAX_JOINED_USERS) return false
  for (const each of b) groups.set(each, a.add(each))
  return true
}

export interface Alias extends StoredLink {
  readonly isLinked: boolean | number
}

async function aliasesOf(tx: Tx, named: readonly IdentityPair[]): Promise<Map<string, Alias>> {
  const input = tx.dialect.rows(named, { number: ['user', 'other'] })
  const rows = await tx.all(sql<Alias>`
    SELECT identity AS "user", partner AS other, ${LINK}, is_linked AS "isLinked" FROM ${input}
    JOIN aliases ON identity = input."user" AND partner = input.other`)
  return new Map(rows.map((row) => [pairOf(row), row]))
}

async function writeAliases(tx: Tx, aliases: readonly Alias[]): Promise<void> {
  const rows = [...new Map(aliases.map((each) => [pairOf(each), each])).values()]
  if (rows.length === 0) return
  const input = tx.dialect.rows(rows, {
    text: ['messageId', 'eventId', 'sourceId'],
    number: ['user', 'other', 'at', 'receivedAt', 'isLinked'],
  })
  await tx.run(sql`
    INSERT INTO aliases (identity, partner, at, received_at, message_id, event_id, source_id, is_linked)
    SELECT "user", other, at, received_at, message_id, event_id, source_id, is_linked = 1
    FROM ${input} WHERE true
    ON CONFLICT (identity, partner) DO UPDATE SET at = excluded.at, received_at = excluded.received_at,
      message_id = excluded.message_id, event_id = excluded.event_id, source_id = excluded.source_id,
      is_linked = excluded.is_linked`)
}

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
    // The array grows during iteration.
    for (const each of group) {
      grouped.add(each)
      for (const partner of partners.get(each)!)
        if (!grouped.has(partner) && !group.includes(partner)) group.push(partner)
    }
    return [group]
  })
}
