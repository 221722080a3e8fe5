import { InvalidCursor, type PageRequest } from '../../page.ts'
import {
  type AppliedSlice,
  type FoundProfiles,
  type Link,
  type LinkSample,
  type Profile,
  type ProfileChange,
  type ProfileQuery,
  type Profiles,
  type ProfileSlice,
  type ProfilesState,
  type SpacedId,
  TooManyTraitIndexes,
  type UnlinkedIds,
} from '../../profiles.ts'
import { parsedJson, timeOf, timeOrNull } from '../rows.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx, Store, Tx } from '../store.ts'
import {
  addSums,
  countsIn,
  OpenIdentities,
  ownIdOf,
  PROFILES_CURSOR,
  profilesOf,
  type Sums,
  touchProfiles,
} from './identities.ts'
import { addLinks } from './linked-profiles.ts'
import type { NamedTogether } from './links.ts'
import { lockProfiles } from './lock-profiles.ts'
import { type IdentityFact, putFacts } from './facts.ts'
import { checkCursor, listProfiles, type PreparedQuery } from './profile-list.ts'
import {
  MAX_TRAIT_INDEXES,
  mergedTraits,
  type StoredTraits,
  tendTraitIndexes,
  type TraitIndex,
  traitsIn,
  USED_EVERY_MS,
  useTraitIndex,
} from './traits.ts'

/** Links that a profile shows of those that were refused. */
const SHOWN_LINKS = 20
/** How cursors of a search for an e-mail address begin: while users with the address are listed, and users with such an id. */
const EMAILS = 'e'
const IDS = 'i'
/** Refused links that are counted. */
const MAX_COUNTED = 1_000

/** Profiles in the tables `identities`, `claims` and `aliases`. */
export class StoredProfiles implements Profiles {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async state(): Promise<ProfilesState> {
    const [state] = await this.#store.lookUp(sql<ProfilesState>`
      SELECT (SELECT through FROM cursors WHERE name = ${PROFILES_CURSOR}) AS through, purges
      FROM profiles_state`)
    return state!
  }

  begin(maxLinks: number): Promise<void> {
    return this.#store.write(beginProfiles, maxLinks)
  }

  apply(slice: ProfileSlice): Promise<AppliedSlice | undefined> {
    return this.#store.write(applyToProfiles, slice)
  }

  find(space: string, userId: string): Promise<Profile | undefined> {
    return this.#store.read(findProfile, { space, kind: 'user', id: userId })
  }

  async count(space: string): Promise<number> {
    const [row] = await this.#store.lookUp(
      sql<{ readonly profiles: number }>`SELECT profiles FROM spaces WHERE name = ${space}`,
    )
    return row?.profiles ?? 0
  }

  list(query: ProfileQuery, page: PageRequest, now: number): Promise<FoundProfiles> {
    const { text, trait } = query
    if (trait !== undefined) return this.#withTrait({ ...query, trait }, page, now)
    return text?.includes('@') === true
      ? this.#withEmail({ ...query, text }, page, now)
      : this.#read({ ...query, page })
  }

  async #read(query: PreparedQuery): Promise<FoundProfiles> {
    checkCursor(query, query.page.cursor)
    return this.#store.read(listProfiles, query)
  }

  /** First the users with the e-mail address, then those whose userId begins with it: the cursor says which. */
  async #withEmail(
    query: ProfileQuery & { readonly text: string },
    { limit, cursor }: PageRequest,
    now: number,
  ): Promise<FoundProfiles> {
    const [part, after] = [cursor?.[0] ?? EMAILS, cursor?.slice(1) ?? '']
    if (part !== EMAILS && part !== IDS) throw new InvalidCursor()
    const from = after === '' ? {} : { cursor: after }
    if (part === IDS) return this.#withId(query, { limit, ...from })
    const trait = { name: 'email', value: query.text }
    const found = await this.#withTrait(
      { space: query.space, trait },
      { limit, ...from },
      now,
    ).catch((error: unknown): FoundProfiles => {
      // The search by id needs no index.
      if (error instanceof TooManyTraitIndexes) return { data: [], nextCursor: null }
      throw error
    })
    if (found.nextCursor !== null) return { ...found, nextCursor: `${EMAILS}${found.nextCursor}` }
    if (found.data.length >= limit) return { ...found, nextCursor: IDS }
    const rest = await this.#withId(query, { limit: limit - found.data.length })
    const listed = new Set(found.data.flatMap(({ userIds }) => userIds))
    const others = rest.data.filter(({ userIds }) => !userIds.some((id) => listed.has(id)))
    return { ...found, ...rest, data: [...found.data, ...others] }
  }

  /** Without those that the e-mail address finds, once its index has them all. */
  async #withId(
    query: ProfileQuery & { readonly text: string },
    page: PageRequest,
  ): Promise<FoundProfiles> {
    const found = await this.#read({ ...query, page })
    const nextCursor = found.nextCursor === null ? null : `${IDS}${found.nextCursor}`
    const [full] = await this.#store.lookUp(
      sql`SELECT 1 AS one FROM trait_indexes WHERE name = 'email' AND filled_through IS NULL`,
    )
    if (full === undefined) return { ...found, nextCursor }
    const wanted = query.text.trim().toLowerCase()
    const others = found.data.filter(
      ({ traits: { email } }) => typeof email !== 'string' || email.trim().toLowerCase() !== wanted,
    )
    return { data: others, nextCursor }
  }

  async #withTrait(
    query: ProfileQuery & Required<Pick<ProfileQuery, 'trait'>>,
    page: PageRequest,
    now: number,
  ): Promise<FoundProfiles> {
    const { trait } = query
    const index = await this.#indexOf(trait.name, now)
    if (index === undefined)
      throw new TooManyTraitIndexes(`There are indexes of ${MAX_TRAIT_INDEXES} other traits.`)
    const found = await this.#read({ ...query, page, index: index.number })
    if (index.filled_through === null) return found
    const [last] = await this.#store.lookUp(
      sql<{ readonly id: number }>`SELECT identities AS id FROM profiles_state`,
    )
    return { ...found, indexed: Math.min(0.99, index.filled_through / Math.max(1, last!.id)) }
  }

  async index(unusedSince: number): Promise<boolean> {
    const [due] = await this.#store.lookUp(sql<{ readonly count: number }>`
      SELECT count(*) AS count FROM trait_indexes
      WHERE filled_through IS NOT NULL OR used_at < ${unusedSince}`)
    if (due!.count === 0) return false
    await this.#store.write(tendTraitIndexes, unusedSince)
    return true
  }

  /** Without a write if it was used a moment ago. */
  async #indexOf(name: string, now: number): Promise<TraitIndex | undefined> {
    const [known] = await this.#store.lookUp(sql<TraitIndex>`
      SELECT number, name, filled_through FROM trait_indexes
      WHERE name = ${name} AND used_at > ${now - USED_EVERY_MS}`)
    return known ?? this.#store.write(useTraitIndex, { name, now })
  }
}

/** Begins to follow the log at its first event. */
export async function beginProfiles(tx: Tx, maxLinks: number): Promise<void> {
  await tx.run(
    sql`INSERT INTO cursors (name, through) VALUES (${PROFILES_CURSOR}, 0) ON CONFLICT DO NOTHING`,
  )
  await tx.run(sql`
    UPDATE profiles_state SET max_links = ${maxLinks} WHERE max_links <> ${maxLinks}`)
}

/** Applies a slice of the log, and moves the cursor. Resolves to undefined if the slice is out of date. */
export async function applyToProfiles(
  tx: Tx,
  slice: ProfileSlice,
): Promise<AppliedSlice | undefined> {
  const { after, through, changes, at } = slice
  if ((await lockProfiles(tx)).purges !== slice.purges) return undefined
  const moved = await tx.run(sql`
    UPDATE cursors SET through = ${through} WHERE name = ${PROFILES_CURSOR} AND through = ${after}`)
  if (moved === 0) return undefined
  return changes.length === 0 ? { unlinked: [], largest: 0 } : applyChanges(tx, changes, at)
}

async function applyChanges(
  tx: Tx,
  changes: readonly ProfileChange[],
  at: number,
): Promise<AppliedSlice> {
  const named = changes.flatMap((change) => [ownIdOf(change), ...linksOf(change)])
  const withTraits = changes.filter(({ traits }) => traits !== undefined).map(ownIdOf)
  const open = await OpenIdentities.open(tx, { named, withTraits, at })
  const facts: IdentityFact[] = []
  const claims: NamedTogether[] = []
  const aliases: NamedTogether[] = []
  for (const change of changes) {
    const user = open.apply(change)
    for (const { clause, value } of change.facts) {
      facts.push({ identity: user, clause, value, at: change.timestamp, position: change.position })
      open.touch(ownIdOf(change))
    }
    for (const link of linksOf(change)) {
      const isSeen = link.kind === 'anonymous' && link.id === change.anonymousId
      const together = { ...change, user, other: open.require(link, isSeen) }
      if (link.kind === 'anonymous') claims.push(together)
      else aliases.push(together)
    }
  }
  const dirty = await open.save(tx)
  await putFacts(tx, facts)
  const { refused, largest } = await addLinks(tx, { claims, aliases }, at)
  await touchProfiles(tx, dirty, at)
  const placeholders = changes
    .filter(({ hasPlaceholder }) => hasPlaceholder)
    .map(({ sourceId }) => ({ sourceId, reason: 'placeholder' as const, ids: 1 }))
  return { unlinked: summedUp([...refused, ...placeholders]), largest }
}

function summedUp(all: readonly UnlinkedIds[]): readonly UnlinkedIds[] {
  const groups = Map.groupBy(all, ({ sourceId, reason }) => `${reason} ${sourceId}`)
  return [...groups.values()].map((group) => {
    return { ...group[0]!, ids: group.reduce((sum, { ids }) => sum + ids, 0) }
  })
}

function linksOf({ space, links }: ProfileChange): readonly SpacedId[] {
  return links.map((id) => ({ space, ...id }))
}

interface IdentityRow {
  readonly id: number
  readonly kind: SpacedId['kind']
  readonly name: string
  readonly is_seen: boolean | number
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
  readonly placeholders: number
  readonly traits: string | null
}

interface ResultRow {
  readonly id: string
  readonly value: string
  readonly since: number
}

/** Everything that is known of the profile that an id belongs to. */
export async function findProfile(tx: ReadTx, id: SpacedId): Promise<Profile | undefined> {
  const [profile] = await profilesOf(tx, [id])
  if (profile === undefined) return undefined
  const identities = await tx.all(sql<IdentityRow>`
    SELECT id, kind, name, is_seen, first_seen_at, last_seen_at, counts, placeholders, traits
    FROM identities LEFT JOIN identity_traits ON identity = id WHERE profile = ${profile} ORDER BY name`)
  const results = await tx.all(sql<ResultRow>`
    SELECT computations.id AS id, value, since FROM results
    JOIN computations ON computations.number = computation
    WHERE profile = ${profile} ORDER BY computations.id`)
  const sums: Sums = { firstSeenAt: null, lastSeenAt: null, counts: {} }
  for (const row of identities) addSums(sums, sumsOf(row))
  const seen = (kind: SpacedId['kind']): string[] =>
    identities.filter((row) => row.is_seen && row.kind === kind).map(({ name }) => name)
  const of = (prefix: string): ResultRow[] => results.filter((row) => row.id.startsWith(prefix))
  return {
    space: id.space,
    userIds: seen('user'),
    anonymousIds: seen('anonymous'),
    links: await linksIn(tx, profile),
    refusedLinks: {
      otherUser: await refusedLinks(
        tx,
        sql`
        SELECT anonymous AS other, claimer AS owner, ${WHENCE} FROM claims
        WHERE claimer IN (${usersOf(profile)}) AND NOT is_first AND ${isElsewhere(sql`anonymous`, profile)}
        ORDER BY at LIMIT ${MAX_COUNTED}`,
      ),
      limit: await refusedLinks(
        tx,
        sql`
        SELECT * FROM (SELECT anonymous AS other, claimer AS owner, ${WHENCE} FROM claims
          WHERE claimer IN (${usersOf(profile)}) AND is_first AND ${isElsewhere(sql`anonymous`, profile)}
          ORDER BY at LIMIT ${MAX_COUNTED}) AS claimed
        UNION ALL SELECT * FROM (SELECT partner, identity, ${WHENCE} FROM aliases
          WHERE identity IN (${usersOf(profile)}) AND NOT is_linked AND ${isElsewhere(sql`partner`, profile)}
          LIMIT ${MAX_COUNTED}) AS named`,
      ),
      placeholders: identities.reduce((sum, { placeholders }) => sum + placeholders, 0),
    },
    traits: shownTraits(mergedTraits(identities.map(({ traits }) => traitsIn(traits)))),
    computed: Object.fromEntries(
      of('trt_').map((row) => [
        row.id,
        { value: parsedJson(row.value) ?? null, since: timeOf(row.since) },
      ]),
    ),
    audiences: Object.fromEntries(of('aud_').map((row) => [row.id, { since: timeOf(row.since) }])),
    ...sums,
  }
}

function sumsOf({ first_seen_at: first, last_seen_at: last, counts }: IdentityRow): Sums {
  return { firstSeenAt: timeOrNull(first), lastSeenAt: timeOrNull(last), counts: countsIn(counts) }
}

/** Those that are not removed. */
function shownTraits(traits: StoredTraits): Profile['traits'] {
  const shown = Object.entries(traits).filter(
    ([, [value, at]]) => value !== null && timeOf(at) === at,
  )
  const described = shown.map(([name, [value, at, , eventId, sourceId]]) => {
    return [name, { value, at, eventId, sourceId }] as const
  })
  return Object.fromEntries(described)
}

interface LinkRow {
  readonly kind: SpacedId['kind']
  readonly id: string
  readonly user_id: string
  readonly at: number
  readonly event_id: string
  readonly source_id: string
}

const LINK = sql`claims.at AS at, claims.event_id AS event_id, claims.source_id AS source_id`

/** Why the identities of a profile are linked: the earliest call that named both. */
async function linksIn(tx: ReadTx, profile: number): Promise<readonly Link[]> {
  const rows = await tx.all(sql<LinkRow>`
    SELECT anonymous.kind AS kind, anonymous.name AS id, claimer.name AS user_id, ${LINK}
    FROM identities AS anonymous JOIN claims ON claims.anonymous = anonymous.id AND is_first
    JOIN identities AS claimer ON claimer.id = claims.claimer
    WHERE anonymous.profile = ${profile} AND anonymous.kind = 'anonymous' AND claimer.profile = ${profile}
    UNION ALL
    SELECT partner.kind, partner.name, owner.name, claims.at, claims.event_id, claims.source_id
    FROM identities AS owner JOIN aliases AS claims ON claims.identity = owner.id AND is_linked
    JOIN identities AS partner ON partner.id = claims.partner
    WHERE owner.profile = ${profile} AND owner.kind = 'user' AND owner.name < partner.name
    ORDER BY at, id, user_id`)
  return rows.map(linkOf)
}

const WHENCE = sql`at, event_id, source_id`

function usersOf(profile: number): Statement {
  return sql`SELECT id FROM identities WHERE profile = ${profile} AND kind = 'user'`
}

/** Whether an id belongs to another profile. */
function isElsewhere(id: Statement, profile: number): Statement {
  return sql`NOT EXISTS (SELECT 1 FROM identities WHERE identities.id = ${id} AND identities.profile = ${profile})`
}

/** The first of these links, which are at most `MAX_COUNTED`, and their number. */
async function refusedLinks(tx: ReadTx, links: Statement): Promise<LinkSample> {
  const rows = await tx.all(sql<LinkRow>`
    SELECT others.kind AS kind, others.name AS id, owners.name AS user_id, at, event_id, source_id
    FROM (${links}) AS refused JOIN identities AS others ON others.id = other
    JOIN identities AS owners ON owners.id = owner ORDER BY at, others.name, owners.name LIMIT ${MAX_COUNTED}`)
  return { links: rows.slice(0, SHOWN_LINKS).map(linkOf), count: rows.length }
}

function linkOf({
  user_id: userId,
  event_id: eventId,
  source_id: sourceId,
  ...link
}: LinkRow): Link {
  return { ...link, userId, eventId, sourceId }
}
