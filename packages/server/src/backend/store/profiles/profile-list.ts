import { InvalidCursor, numberIn, type Page, type PageRequest } from '../../page.ts'
import type { FoundProfiles, ProfileQuery, ProfileSummary, SpacedId } from '../../profiles.ts'
import { parsedJson, timeOf } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx } from '../store.ts'
import { profilesOf } from './identities.ts'
import { indexedValue, mergedTraits, type StoredTraits, traitsIn } from './traits.ts'

/** Characters of a userId that the index has. */
const INDEXED_NAME = 100
/** Ids and traits that a summary shows. */
const SHOWN = 20
/** Traits that are shown before others. */
const FIRST_TRAITS = ['email', 'name']

/** A query with what the index of its trait has. */
export interface PreparedQuery extends ProfileQuery {
  readonly page: PageRequest
  /** The number of the index of the trait, if the query has one. */
  readonly index?: number
}

/** The numbers of profiles, and where the next page begins. */
type Found = Page<number>

/**
 * Before a list is read, on another thread.
 * @throws {InvalidCursor}
 */
export function checkCursor({ text, trait }: ProfileQuery, cursor: string | undefined): void {
  if (cursor === undefined) return
  if (text !== undefined && trait === undefined) cursorIn(cursor)
  else numberIn(cursor)
}

/** Lists the profiles of a space, or finds some of them. */
export async function listProfiles(tx: ReadTx, query: PreparedQuery): Promise<FoundProfiles> {
  const { data, nextCursor } = await find(tx, query)
  const { trait } = query
  const summaries = await summariesOf(tx, [...new Set(data)], query.space, trait?.name)
  if (trait === undefined) return { data: summaries.map(({ summary }) => summary), nextCursor }
  // Another identity of the profile may have a newer value. And an index has only how a value begins.
  const wanted = trait.value.trim().toLowerCase()
  const matching = summaries.filter(({ traits }) => {
    const value = traits[trait.name]?.[0] ?? null
    return (
      value !== null && typeof value !== 'object' && String(value).trim().toLowerCase() === wanted
    )
  })
  return { data: matching.map(({ summary }) => summary), nextCursor }
}

function find(tx: ReadTx, query: PreparedQuery): Promise<Found> {
  if (query.trait !== undefined) return withTrait(tx, query)
  if (query.isLargestFirst === true) return largestFirst(tx, query)
  return query.text === undefined ? inOrder(tx, query) : withText(tx, query, query.text)
}

/** In the order in which they were made. */
async function inOrder(tx: ReadTx, { space, page }: PreparedQuery): Promise<Found> {
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id > ${numberIn(page.cursor ?? '0')} AND profile = id AND space = ${space}
    ORDER BY id LIMIT ${page.limit + 1}`)
  const ids = rows.map(({ id }) => id)
  return pageOfNumbers(ids, page.limit)
}

/** One page. It looks at all identities of an index, and counts those that are linked: most profiles have one. */
async function largestFirst(tx: ReadTx, { space, page: { limit } }: PreparedQuery): Promise<Found> {
  const linked = await tx.all(sql<{ readonly id: number }>`
    SELECT profile AS id FROM identities WHERE profile <> id AND space = ${space}
    GROUP BY profile ORDER BY count(*) DESC, profile LIMIT ${limit}`)
  const ids = linked.map(({ id }) => id)
  const single = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE profile = id AND space = ${space}
      AND id NOT IN (SELECT id FROM ${tx.dialect.given({ id: ['number', ids] })})
    ORDER BY id LIMIT ${limit - ids.length}`)
  return { data: [...ids, ...single.map(({ id }) => id)], nextCursor: null }
}

async function withTrait(
  tx: ReadTx,
  { page, trait, index = 0, space }: PreparedQuery,
): Promise<Found> {
  const value = indexedValue(trait!.value) ?? ''
  // Each profile once, at the first of its identities that has the value.
  const rows = await tx.all(sql<{ readonly identity: number; readonly profile: number }>`
    SELECT identity, profile FROM trait_values JOIN identities ON id = identity AND space = ${space}
    WHERE trait = ${index} AND value = ${value} AND identity > ${numberIn(page.cursor ?? '0')} AND NOT EXISTS (
      SELECT 1 FROM identities AS other JOIN trait_values AS others ON others.identity = other.id
      WHERE other.profile = identities.profile AND other.id < identities.id
        AND others.trait = ${index} AND others.value = ${value})
    ORDER BY identity LIMIT ${page.limit + 1}`)
  const { nextCursor } = pageOfNumbers(
    rows.map(({ identity }) => identity),
    page.limit,
  )
  return { data: rows.slice(0, page.limit).map(({ profile }) => profile), nextCursor }
}

function pageOfNumbers(numbers: readonly number[], limit: number): Found {
  const data = numbers.slice(0, limit)
  return { data, nextCursor: numbers.length > limit ? String(data.at(-1)) : null }
}

/** The profile with this anonymousId, then those of the userIds that begin with the text. Each profile is on one page. */
async function withText(
  tx: ReadTx,
  { space, page: { limit, cursor } }: PreparedQuery,
  text: string,
): Promise<Found> {
  const exact: SpacedId[] = [{ space, kind: 'anonymous', id: text }]
  const [device] = await profilesOf(tx, exact)
  const beginning = beginningOf(text)
  const [name, id] = cursor === undefined ? [beginning, 0] : cursorIn(cursor)
  // Whatever comes after the text, there is a longer one.
  const end = `${beginning}${'\u{10ffff}'.repeat(INDEXED_NAME)}`
  const rows = await tx.all(sql<{
    readonly id: number
    readonly name: string
    readonly profile: number
  }>`
    SELECT id, name, profile FROM identities WHERE space = ${space} AND kind = 'user'
    AND ${BEGINNING} >= ${name} AND ${BEGINNING} < ${end}
    AND (${BEGINNING} > ${name} OR id > ${id}) AND is_seen AND profile <> ${device ?? 0} AND NOT EXISTS (
      SELECT 1 FROM identities AS other
      WHERE other.profile = identities.profile AND other.kind = 'user' AND other.is_seen
        AND substr(other.name, 1, 100) >= ${beginning} AND substr(other.name, 1, 100) < ${end}
        AND (substr(other.name, 1, 100) < ${BEGINNING} OR (substr(other.name, 1, 100) = ${BEGINNING} AND other.id < identities.id)))
    ORDER BY ${BEGINNING}, id LIMIT ${limit + 1}`)
  const first = cursor === undefined && device !== undefined ? [device] : []
  const shown = rows.slice(0, limit - first.length)
  const last = shown.at(-1)
  const place = last === undefined ? [name, id] : [beginningOf(last.name), last.id]
  const data = shown.filter((row) => row.name.startsWith(text)).map(({ profile }) => profile)
  return {
    data: [...first, ...data],
    nextCursor: rows.length <= shown.length ? null : JSON.stringify(place),
  }
}

const BEGINNING: Statement = sql`substr(identities.name, 1, 100)`

/** What the index has of a name. */
function beginningOf(name: string): string {
  return Array.from(name).slice(0, INDEXED_NAME).join('')
}

/** @throws {InvalidCursor} */
function cursorIn(cursor: string): readonly [name: string, id: number] {
  const parsed = parsedJson(cursor)
  if (!Array.isArray(parsed)) throw new InvalidCursor()
  const [name, id] = parsed
  if (typeof name !== 'string' || !Number.isSafeInteger(id)) throw new InvalidCursor()
  return [name, id as number]
}

interface Row {
  readonly profile: number
  readonly kind: SpacedId['kind']
  readonly name: string
  readonly first_seen_at: number | null
  readonly last_seen_at: number | null
  readonly traits: string | null
}

async function summariesOf(
  tx: ReadTx,
  profiles: readonly number[],
  space: string,
  searched: string | undefined,
): Promise<readonly { readonly summary: ProfileSummary; readonly traits: StoredTraits }[]> {
  const rows = await tx.all(sql<Row>`
    SELECT profile, kind, name, first_seen_at, last_seen_at, traits
    FROM identities LEFT JOIN identity_traits ON identity = id WHERE is_seen
    AND profile IN (${numbersIn(tx, profiles)}) ORDER BY name`)
  const byProfile = Map.groupBy(rows, ({ profile }) => profile)
  return profiles.flatMap((profile) => {
    const identities = byProfile.get(profile)
    return identities === undefined ? [] : [summaryOf(identities, space, searched)]
  })
}

function summaryOf(
  rows: readonly Row[],
  space: string,
  searched: string | undefined,
): { readonly summary: ProfileSummary; readonly traits: StoredTraits } {
  const traits = mergedTraits(rows.map((row) => traitsIn(row.traits)))
  const ids = (kind: SpacedId['kind']): string[] =>
    rows.filter((row) => row.kind === kind).map(({ name }) => name)
  const times = (column: 'first_seen_at' | 'last_seen_at'): number[] =>
    rows.flatMap((row) => (row[column] === null ? [] : [timeOf(row[column])]))
  const [first, last] = [times('first_seen_at'), times('last_seen_at')]
  const preferred = new Set([searched, ...FIRST_TRAITS])
  const shown = Object.entries(traits)
    .filter(([, [value]]) => value !== null)
    .toSorted(([a], [b]) => Number(preferred.has(b)) - Number(preferred.has(a)))
  const summary = {
    space,
    userIds: ids('user').slice(0, SHOWN),
    anonymousIds: ids('anonymous').slice(0, SHOWN),
    traits: Object.fromEntries(shown.slice(0, SHOWN).map(([name, [value]]) => [name, value])),
    firstSeenAt: first.length === 0 ? null : Math.min(...first),
    lastSeenAt: last.length === 0 ? null : Math.max(...last),
  }
  return { summary, traits }
}
