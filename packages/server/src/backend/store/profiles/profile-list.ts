import type { Json } from '@hookline/protocol'
import { InvalidCursorError, numberIn, type Page, type PageRequest } from '../../page.ts'
import {
  type FoundProfiles,
  type ProfileQuery,
  type ProfileSummary,
  type IdInSpace,
  TooManyTraitIndexesError,
} from '../../profiles.ts'
import { parsedJson, timeOf } from '../rows.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { ReadTx, Store } from '../store.ts'
import { profilesOf } from './identities.ts'
import {
  indexedValue,
  MAX_TRAIT_INDEXES,
  mergedTraits,
  type StoredTraits,
  type TraitIndex,
  traitsIn,
  USED_AT_PRECISION_MS,
  useTraitIndex,
} from './traits.ts'

const INDEXED_NAME = 100
const SHOWN = 20
const FIRST_TRAITS = ['email', 'name']

export interface PreparedQuery extends ProfileQuery {
  readonly page: PageRequest
  readonly index?: number
}

type ProfilePage = Page<number>

/** Email search cursors begin with the current part: users with the address, then users whose id begins with it. */
const EMAILS = 'e'
const IDS = 'i'

interface Search<Query extends ProfileQuery = ProfileQuery> {
  readonly query: Query
  readonly page: PageRequest
  readonly now: number
}

export async function searchProfiles(store: Store, search: Search): Promise<FoundProfiles> {
  const { query, page } = search
  const { text, trait } = query
  if (trait !== undefined) return findByTrait(store, { ...search, query: { ...query, trait } })
  return text?.includes('@') === true
    ? findByEmail(store, { ...search, query: { ...query, text } })
    : read(store, { ...query, page })
}

/** @throws {InvalidCursorError} here, not on the thread that reads */
async function read(store: Store, query: PreparedQuery): Promise<FoundProfiles> {
  const { text, trait, page } = query
  const parse = text !== undefined && trait === undefined ? cursorIn : numberIn
  if (page.cursor !== undefined) parse(page.cursor)
  return store.read(listProfiles, query)
}

async function findByEmail(
  store: Store,
  { query, page: { limit, cursor = EMAILS }, now }: Search<TextQuery>,
): Promise<FoundProfiles> {
  const [part, after] = [cursor[0], cursor.slice(1)]
  if (part !== EMAILS && part !== IDS) throw new InvalidCursorError()
  const page = { limit, ...(after !== '' && { cursor: after }) }
  if (part === IDS) return findById(store, query, page)
  const byTrait = { space: query.space, trait: { name: 'email', value: query.text } }
  const firstPart = await findByTrait(store, { query: byTrait, page, now })
  if (firstPart.nextCursor !== null)
    return { ...firstPart, nextCursor: `${EMAILS}${firstPart.nextCursor}` }
  if (firstPart.data.length >= limit) return { ...firstPart, nextCursor: IDS }
  const rest = await findById(store, query, { limit: limit - firstPart.data.length })
  const listed = new Set(firstPart.data.flatMap(({ userIds }) => userIds))
  const others = rest.data.filter(({ userIds }) => !userIds.some((id) => listed.has(id)))
  return { ...firstPart, ...rest, data: [...firstPart.data, ...others] }
}

type TextQuery = ProfileQuery & { readonly text: string }

/** Omits profiles already found by email address, once the index of email addresses is complete. */
async function findById(store: Store, query: TextQuery, page: PageRequest): Promise<FoundProfiles> {
  const found = await read(store, { ...query, page })
  const nextCursor = found.nextCursor === null ? null : `${IDS}${found.nextCursor}`
  const [complete] = await store.lookUp(
    sql`SELECT 1 AS one FROM trait_indexes WHERE name = 'email' AND filled_through IS NULL`,
  )
  if (complete === undefined) return { ...found, nextCursor }
  const others = found.data.filter(
    ({ traits: { email = null } }) => !equalsIgnoringCase(email, query.text),
  )
  return { data: others, nextCursor }
}

async function findByTrait(
  store: Store,
  { query, page, now }: Search<ProfileQuery & Required<Pick<ProfileQuery, 'trait'>>>,
): Promise<FoundProfiles> {
  const { name } = query.trait
  // An index that was used recently needs no write.
  const [known] = await store.lookUp(sql<TraitIndex>`
    SELECT number, name, filled_through FROM trait_indexes
    WHERE name = ${name} AND used_at > ${now - USED_AT_PRECISION_MS}`)
  const index = known ?? (await store.write(useTraitIndex, { name, now }))
  if (index === undefined)
    throw new TooManyTraitIndexesError(
      `The limit of ${MAX_TRAIT_INDEXES} indexed traits is reached.`,
    )
  const found = await read(store, { ...query, page, index: index.number })
  if (index.filled_through === null) return found
  const [last] = await store.lookUp(
    sql<{ readonly id: number }>`SELECT identities AS id FROM profiles_state`,
  )
  return { ...found, indexed: Math.min(0.99, index.filled_through / Math.max(1, last!.id)) }
}

/** Whether a trait has this value as text, ignoring case. */
function equalsIgnoringCase(value: Json, text: string): boolean {
  if (value === null || typeof value === 'object') return false
  return String(value).trim().toLowerCase() === text.trim().toLowerCase()
}

export async function listProfiles(tx: ReadTx, query: PreparedQuery): Promise<FoundProfiles> {
  const { data, nextCursor } = await find(tx, query)
  const { trait } = query
  const summaries = await summariesOf(tx, [...new Set(data)], query.space, trait?.name)
  if (trait === undefined) return { data: summaries.map(({ summary }) => summary), nextCursor }
  // Another identity of the profile may have a newer value, and an index has only prefixes of values.
  const matching = summaries.filter(({ traits }) =>
    equalsIgnoringCase(traits[trait.name]?.[0] ?? null, trait.value),
  )
  return { data: matching.map(({ summary }) => summary), nextCursor }
}

function find(tx: ReadTx, query: PreparedQuery): Promise<ProfilePage> {
  if (query.trait !== undefined) return withTrait(tx, query)
  if (query.isLargestFirst === true) return largestFirst(tx, query)
  return query.text === undefined ? inOrder(tx, query) : withText(tx, query, query.text)
}

async function inOrder(tx: ReadTx, { space, page }: PreparedQuery): Promise<ProfilePage> {
  const rows = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE id > ${numberIn(page.cursor ?? '0')} AND profile = id AND space = ${space}
    ORDER BY id LIMIT ${page.limit + 1}`)
  const ids = rows.map(({ id }) => id)
  return pageOfNumbers(ids, page.limit)
}

/** A single page. Counts only linked identities, because most profiles have one identity. */
async function largestFirst(
  tx: ReadTx,
  { space, page: { limit } }: PreparedQuery,
): Promise<ProfilePage> {
  const linked = await tx.all(sql<{ readonly id: number }>`
    SELECT profile AS id FROM identities WHERE profile <> id AND space = ${space}
    GROUP BY profile ORDER BY count(*) DESC, profile LIMIT ${limit}`)
  const ids = linked.map(({ id }) => id)
  const single = await tx.all(sql<{ readonly id: number }>`
    SELECT id FROM identities WHERE profile = id AND space = ${space}
      AND id NOT IN (${numbersIn(tx, ids)})
    ORDER BY id LIMIT ${limit - ids.length}`)
  return { data: [...ids, ...single.map(({ id }) => id)], nextCursor: null }
}

async function withTrait(tx: ReadTx, { page, trait, index = 0, space }: PreparedQuery) {
  const value = indexedValue(trait!.value) ?? ''
  // Each profile once, at its first identity with the value.
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

function pageOfNumbers(numbers: readonly number[], limit: number): ProfilePage {
  const data = numbers.slice(0, limit)
  return { data, nextCursor: numbers.length > limit ? String(data.at(-1)) : null }
}

/** The profile with this anonymousId, then those with a userId that begins with the text. Each profile is on one page. */
async function withText(
  tx: ReadTx,
  { space, page: { limit, cursor } }: PreparedQuery,
  text: string,
): Promise<ProfilePage> {
  const exact: IdInSpace[] = [{ space, kind: 'anonymous', id: text }]
  const [device] = await profilesOf(tx, exact)
  const beginning = beginningOf(text)
  const [name, id] = cursor === undefined ? [beginning, 0] : cursorIn(cursor)
  // Sorts after every name that begins with the text.
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

function beginningOf(name: string): string {
  return Array.from(name).slice(0, INDEXED_NAME).join('')
}

/** @throws {InvalidCursorError} */
function cursorIn(cursor: string): readonly [name: string, id: number] {
  const parsed = parsedJson(cursor)
  if (!Array.isArray(parsed)) throw new InvalidCursorError()
  const [name, id] = parsed
  if (typeof name !== 'string' || !Number.isSafeInteger(id)) throw new InvalidCursorError()
  return [name, id as number]
}

interface ProfileIdentityRow {
  readonly profile: number
  readonly kind: IdInSpace['kind']
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
  const rows = await tx.all(sql<ProfileIdentityRow>`
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
  rows: readonly ProfileIdentityRow[],
  space: string,
  searched: string | undefined,
) {
  const traits = mergedTraits(rows.map((row) => traitsIn(row.traits)))
  const ids = (kind: IdInSpace['kind']): string[] =>
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
