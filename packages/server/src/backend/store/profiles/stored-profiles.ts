import type {
  AppliedSlice,
  Link,
  LinkSample,
  Profile,
  ProfileChange,
  Profiles,
  ProfileSlice,
  ProfilesState,
  IdInSpace,
  UnlinkedIds,
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
import type { IdentityPair } from './links.ts'
import { lockProfiles } from './lock-profiles.ts'
import { type IdentityFact, putFacts } from './facts.ts'
import { searchProfiles } from './profile-list.ts'
import { mergedTraits, type StoredTraits, maintainTraitIndexes, traitsIn } from './traits.ts'

/** The maximum numbers of refused links that a profile shows and counts. */
const SHOWN_LINKS = 20
const MAX_COUNTED = 1_000

export function storedProfiles(store: Store): Profiles {
  return {
    begin: (maxLinks) => store.write(beginProfiles, maxLinks),
    apply: (slice) => store.write(applyToProfiles, slice),
    find: (space, userId) => store.read(findProfile, { space, kind: 'user', id: userId }),
    list: (query, page, now) => searchProfiles(store, { query, page, now }),

    async state() {
      const [state] = await store.lookUp(sql<ProfilesState>`
        SELECT (SELECT through FROM cursors WHERE name = ${PROFILES_CURSOR}) AS through, purges
        FROM profiles_state`)
      return state!
    },

    async count(space) {
      const [row] = await store.lookUp(
        sql<{ readonly profiles: number }>`SELECT profiles FROM spaces WHERE name = ${space}`,
      )
      return row?.profiles ?? 0
    },

    async index(unusedSince) {
      const [due] = await store.lookUp(sql<{ readonly count: number }>`
        SELECT count(*) AS count FROM trait_indexes
        WHERE filled_through IS NOT NULL OR used_at < ${unusedSince}`)
      if (due!.count === 0) return false
      await store.write(maintainTraitIndexes, unusedSince)
      return true
    },
  }
}

export async function beginProfiles(tx: Tx, maxLinks: number): Promise<void> {
  await tx.run(
    sql`INSERT INTO cursors (name, through) VALUES (${PROFILES_CURSOR}, 0) ON CONFLICT DO NOTHING`,
  )
  await tx.run(sql`
    UPDATE profiles_state SET max_links = ${maxLinks} WHERE max_links <> ${maxLinks}`)
}

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

async function applyChanges(tx: Tx, changes: readonly ProfileChange[], at: number) {
  const named = changes.flatMap((change) => [ownIdOf(change), ...linksOf(change)])
  const withTraits = changes.filter(({ traits }) => traits !== undefined).map(ownIdOf)
  const open = await OpenIdentities.open(tx, { named, withTraits, at })
  const facts: IdentityFact[] = []
  const claims: IdentityPair[] = []
  const aliases: IdentityPair[] = []
  for (const change of changes) {
    const user = open.apply(change)
    for (const { clause, value } of change.facts) {
      facts.push({ identity: user, clause, value, at: change.timestamp, position: change.position })
      open.touch(ownIdOf(change))
    }
    for (const link of linksOf(change)) {
      const isSeen = link.kind === 'anonymous' && link.id === change.anonymousId
      const together = { ...change, user, other: open.numberOf(link, isSeen) }
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

function linksOf({ space, links }: ProfileChange): readonly IdInSpace[] {
  return links.map((id) => ({ space, ...id }))
}

interface IdentityRow {
  readonly id: number
  readonly kind: IdInSpace['kind']
  readonly name: string
  readonly is_seen: boolean | number
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly counts: string
  readonly placeholders: number
  readonly traits: string | null
}

type ResultRow = Readonly<Record<'id' | 'value', string>> & { readonly since: number }

export async function findProfile(tx: ReadTx, id: IdInSpace): Promise<Profile | undefined> {
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
  const seen = (kind: IdInSpace['kind']): string[] =>
    identities.filter((row) => row.is_seen && row.kind === kind).map(({ name }) => name)
  const of = (prefix: string): ResultRow[] => results.filter((row) => row.id.startsWith(prefix))
  return {
    space: id.space,
    userIds: seen('user'),
    anonymousIds: seen('anonymous'),
    links: await linksIn(tx, profile),
    unlinkedIds: {
      otherUser: await unlinkedSample(
        tx,
        sql`
        SELECT anonymous AS other, claimer AS owner, ${LINK_ORIGIN} FROM claims
        WHERE claimer IN (${usersOf(profile)}) AND NOT is_first AND ${isInOtherProfile(sql`anonymous`, profile)}
        ORDER BY at LIMIT ${MAX_COUNTED}`,
      ),
      limit: await unlinkedSample(
        tx,
        sql`
        SELECT * FROM (SELECT anonymous AS other, claimer AS owner, ${LINK_ORIGIN} FROM claims
          WHERE claimer IN (${usersOf(profile)}) AND is_first AND ${isInOtherProfile(sql`anonymous`, profile)}
          ORDER BY at LIMIT ${MAX_COUNTED}) AS claimed
        UNION ALL SELECT * FROM (SELECT partner, identity, ${LINK_ORIGIN} FROM aliases
          WHERE identity IN (${usersOf(profile)}) AND NOT is_linked AND ${isInOtherProfile(sql`partner`, profile)}
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

function shownTraits(traits: StoredTraits): Profile['traits'] {
  const shown = Object.entries(traits).filter(
    ([, [value, at]]) => value !== null && timeOf(at) === at,
  )
  const described = shown.map(([name, [value, at, , eventId, sourceId]]) => {
    return [name, { value, at, eventId, sourceId }] as const
  })
  return Object.fromEntries(described)
}

const LINK = sql`links.at AS at, links.event_id AS "eventId", links.source_id AS "sourceId"`

/** Why the identities of a profile are linked: the earliest call with both ids. */
function linksIn(tx: ReadTx, profile: number): Promise<readonly Link[]> {
  return tx.all(sql<Link>`
    SELECT anonymous.kind AS kind, anonymous.name AS id, claimer.name AS "userId", ${LINK}
    FROM identities AS anonymous JOIN claims AS links ON links.anonymous = anonymous.id AND is_first
    JOIN identities AS claimer ON claimer.id = links.claimer
    WHERE anonymous.profile = ${profile} AND anonymous.kind = 'anonymous' AND claimer.profile = ${profile}
    UNION ALL
    SELECT partner.kind, partner.name, owner.name, ${LINK}
    FROM identities AS owner JOIN aliases AS links ON links.identity = owner.id AND is_linked
    JOIN identities AS partner ON partner.id = links.partner
    WHERE owner.profile = ${profile} AND owner.kind = 'user' AND owner.name < partner.name
    ORDER BY at, id, "userId"`)
}

const LINK_ORIGIN = sql`at, event_id, source_id`

function usersOf(profile: number): Statement {
  return sql`SELECT id FROM identities WHERE profile = ${profile} AND kind = 'user'`
}

function isInOtherProfile(id: Statement, profile: number): Statement {
  return sql`NOT EXISTS (SELECT 1 FROM identities WHERE identities.id = ${id} AND identities.profile = ${profile})`
}

/** @param refused at most `MAX_COUNTED` links */
async function unlinkedSample(tx: ReadTx, refused: Statement): Promise<LinkSample> {
  const all = await tx.all(sql<Link>`
    SELECT others.kind AS kind, others.name AS id, owners.name AS "userId", ${LINK}
    FROM (${refused}) AS links JOIN identities AS others ON others.id = other
    JOIN identities AS owners ON owners.id = owner ORDER BY at, others.name, owners.name LIMIT ${MAX_COUNTED}`)
  return { links: all.slice(0, SHOWN_LINKS), count: all.length }
}
