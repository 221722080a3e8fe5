import { LIMITS } from '@hookline/protocol'
import {
  type EventName,
  type EventNameFilter,
  type EventNames,
  type EventNamesState,
  OTHER_NAMES,
  PROPERTY_TYPES,
  type SeenNames,
  TREND_DAYS,
} from '../event-names.ts'
import { InvalidCursorError, type Page } from '../page.ts'
import type { ProfileId } from '../profiles.ts'
import { lockProfiles } from './profiles/lock-profiles.ts'
import { shortHash } from '../../util/short-hash.ts'
import { conditionsOf, pageOf, parsedJson, timeOf } from './rows.ts'
import { sql } from './sql.ts'
import type { ReadTx, Store, Tx } from './store.ts'

/** In the table `cursors`. */
export const EVENT_NAMES_CURSOR = 'event-names'
/** A name that has not been seen for this long is removed if its source has no room for a new one. */
const STALE_MS = 30 * 24 * 60 * 60 * 1000
/**
 * The maximum number of names that one write removes to make room for new ones. Each may have many
 * properties.
 */
const MAX_REMOVED = 50

interface Key {
  readonly sourceId: string
  readonly type: string
  readonly name: string
}

interface NameRow extends Key {
  readonly count: number
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  /** JSON: pairs of a day and its count. */
  readonly days: string
  readonly moreProperties: number
}

/** `soleUser`: a hash, or empty if several users sent it. */
interface AddedName extends Omit<NameRow, 'days'> {
  readonly days: EventName['days']
  readonly soleUser: string
}

interface PropertyRow {
  readonly sourceId: string
  readonly type: string
  readonly event: string
  readonly name: string
  readonly types: number
  readonly lastSeenAt: number
}

type AddedProperty = PropertyRow & Pick<AddedName, 'soleUser'>

interface AddedNames extends Omit<SeenNames, 'names'> {
  readonly names: readonly AddedName[]
  readonly properties: readonly AddedProperty[]
}

export function storedEventNames(store: Store): EventNames {
  const select = async (): Promise<EventNamesState | undefined> => {
    const [state] = await store.lookUp(sql<EventNamesState & { readonly through: number | null }>`
      SELECT (SELECT through FROM cursors WHERE name = ${EVENT_NAMES_CURSOR}) AS through, purges FROM profiles_state`)
    return state!.through === null ? undefined : state
  }
  return {
    async state() {
      const state = await select()
      if (state !== undefined) return state
      await store.write(beginNames, null)
      return (await select())!
    },
    add: (seen) => store.write(addNames, addedOf(seen)),
    async list(filter, { limit, cursor }) {
      const after = cursor === undefined ? ['', '', ''] : keyIn(cursor)
      return store.read(listNames, { filter, after, limit })
    },
  }
}

/** Begins to count. Without a cursor, for example after a rebuild, counting starts at 0, so stored counts are deleted. */
export async function beginNames(tx: Tx): Promise<void> {
  const begun = await tx.run(
    sql`INSERT INTO cursors (name, through) VALUES (${EVENT_NAMES_CURSOR}, 0) ON CONFLICT DO NOTHING`,
  )
  if (begun === 0) return
  await tx.run(sql`DELETE FROM event_names`)
  await tx.run(sql`DELETE FROM event_properties`)
}

function addedOf({ names, ...rest }: SeenNames): AddedNames {
  const properties = names.flatMap(({ sourceId, type, name: event, properties: seen }) =>
    seen.map(({ types, ...property }): AddedProperty => {
      const bits = types.reduce((sum, each) => sum | (1 << PROPERTY_TYPES.indexOf(each)), 0)
      return { ...property, sourceId, type, event, types: bits }
    }),
  )
  const added = names.map(({ properties: _, hasMoreProperties, ...name }): AddedName => ({
    ...name,
    moreProperties: Number(hasMoreProperties),
  }))
  return { ...rest, names: added, properties }
}

export async function addNames(
  tx: Tx,
  { after, through, purges, names, properties }: AddedNames,
): Promise<boolean> {
  if ((await lockProfiles(tx)).purges !== purges) return false
  const moved = await tx.run(sql`
    UPDATE cursors SET through = ${through} WHERE name = ${EVENT_NAMES_CURSOR} AND through = ${after}`)
  if (moved === 0) return false
  if (names.length === 0) return true
  const limited = await withinLimits(tx, names)
  if (limited.length === 0) return true
  await putNames(tx, limited)
  const listed = new Set(limited.map(keyOf))
  const ofListed = properties.filter(({ event: name, ...of }) => listed.has(keyOf({ ...of, name })))
  if (ofListed.length > 0) await putProperties(tx, ofListed)
  return true
}

function keyOf({ sourceId, type, name }: Key): string {
  return `${sourceId} ${type} ${name}`
}

/** The names to put, with their total days: the known ones, new ones while there is room, and the sum of the others. */
async function withinLimits(tx: Tx, names: readonly AddedName[]): Promise<readonly AddedName[]> {
  const sourceIds = await existingSources(tx, names)
  const others = [...sourceIds].map((sourceId) => ({ sourceId, type: OTHER_NAMES, name: '' }))
  const stored = await storedDays(tx, [...names, ...others])
  const limited: AddedName[] = []
  for (const [sourceId, all] of Map.groupBy(names, (name) => name.sourceId)) {
    if (!sourceIds.has(sourceId)) continue
    const isKnown = (name: AddedName): boolean => stored.has(keyOf(name))
    const fresh = all.filter((name) => name.type !== OTHER_NAMES && !isKnown(name))
    const room = fresh.length === 0 ? 0 : await makeRoom(tx, fresh, all.filter(isKnown))
    const overLimit = new Set([
      ...fresh.slice(room),
      ...all.filter(({ type }) => type === OTHER_NAMES),
    ])
    limited.push(...all.filter((name) => !overLimit.has(name)))
    if (overLimit.size > 0) limited.push([...overLimit].map(asOther).reduce(summedUp))
  }
  return limited.map((name) => ({
    ...name,
    days: sumOfDays(stored.get(keyOf(name)) ?? new Map(), name.days),
  }))
}

function asOther(name: AddedName): AddedName {
  return { ...name, type: OTHER_NAMES, name: '', moreProperties: 0, soleUser: '' }
}

function summedUp(sum: AddedName, { count, days, firstSeenAt, lastSeenAt }: AddedName): AddedName {
  return {
    ...sum,
    count: sum.count + count,
    days: sumOfDays(sum.days, days),
    firstSeenAt: Math.min(sum.firstSeenAt, firstSeenAt),
    lastSeenAt: Math.max(sum.lastSeenAt, lastSeenAt),
  }
}

function sumOfDays(a: EventName['days'], b: EventName['days']): EventName['days'] {
  const sum = new Map(a)
  for (const [day, count] of b) sum.set(day, (sum.get(day) ?? 0) + count)
  // The newest days with events: a clock that was ahead for a moment must not empty the trend.
  return new Map([...sum].toSorted(([day], [other]) => day - other).slice(-TREND_DAYS))
}

function daysIn(stored: string): EventName['days'] {
  return new Map((parsedJson(stored) ?? []) as [number, number][])
}

/** The sources that still exist. None of them is removed until the transaction ends. */
async function existingSources(tx: Tx, names: readonly Key[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(names.map(({ sourceId }) => sourceId))]
  const rows = await tx.all(sql<{ readonly id: string }>`
    SELECT id FROM catalog WHERE kind = 'source' AND id ${tx.dialect.among(ids)}
    ORDER BY id ${tx.dialect.forKeyShare}`)
  return new Set(rows.map(({ id }) => id))
}

/** The days of stored names, by key. */
async function storedDays(
  tx: Tx,
  names: readonly Key[],
): Promise<ReadonlyMap<string, EventName['days']>> {
  const input = tx.dialect.rows(names, { text: ['sourceId', 'type', 'name'] })
  const rows = await tx.all(sql<Key & Pick<NameRow, 'days'>>`
    SELECT kept.source_id AS "sourceId", kept.type AS type, kept.name AS name, kept.days AS days
    FROM ${input} JOIN event_names AS kept
      ON kept.source_id = input.source_id AND kept.type = input.type AND kept.name = input.name`)
  return new Map(rows.map((row) => [keyOf(row), daysIn(row.days)]))
}

/** Resolves to the number of names for which the source has room, after the removal of stale names if there is too little. */
async function makeRoom(
  tx: Tx,
  fresh: readonly AddedName[],
  seenAgain: readonly AddedName[],
): Promise<number> {
  const { sourceId, lastSeenAt } = fresh.at(-1)!
  const [row] = await tx.all(sql<{ readonly count: number }>`
    SELECT count(*) AS count FROM event_names WHERE source_id = ${sourceId} AND type <> ${OTHER_NAMES}`)
  const room = Math.max(0, LIMITS.eventNamesPerSource - row!.count)
  if (fresh.length <= room) return room
  const seenAgainKeys = new Set(seenAgain.map(keyOf))
  const oldest = await tx.all(sql<Key>`
    SELECT source_id AS "sourceId", type, name FROM event_names
    WHERE source_id = ${sourceId} AND type <> ${OTHER_NAMES} AND last_seen_at < ${lastSeenAt - STALE_MS}
    ORDER BY last_seen_at LIMIT ${Math.min(fresh.length - room, MAX_REMOVED)}`)
  const stale = oldest.filter((name) => !seenAgainKeys.has(keyOf(name)))
  if (stale.length === 0) return room
  const input = tx.dialect.rows(stale, { text: ['sourceId', 'type', 'name'] })
  const keys = sql`(SELECT source_id, type, name FROM ${input})`
  await tx.run(sql`DELETE FROM event_names WHERE (source_id, type, name) IN ${keys}`)
  await tx.run(sql`DELETE FROM event_properties WHERE (source_id, type, event) IN ${keys}`)
  return room + stale.length
}

/** Keeps the first time, replaces the last one, and adds to the count; `days` is already the sum. */
async function putNames(tx: Tx, names: readonly AddedName[]): Promise<void> {
  const rows = names.map((name) => ({ ...name, days: [...name.days] }))
  const input = tx.dialect.rows(rows, {
    text: ['sourceId', 'type', 'name', 'soleUser'],
    number: ['count', 'firstSeenAt', 'lastSeenAt', 'moreProperties'],
    json: ['days'],
  })
  const columns = sql`source_id, type, name, sole_user, count, first_seen_at, last_seen_at, more_properties, days`
  await tx.run(sql`
    INSERT INTO event_names AS kept (${columns}) SELECT ${columns} FROM ${input} WHERE true
    ON CONFLICT (source_id, type, name) DO UPDATE SET
      count = kept.count + excluded.count, last_seen_at = excluded.last_seen_at, days = excluded.days,
      more_properties = kept.more_properties | excluded.more_properties, ${SOLE_USER}`)
}

const SOLE_USER = sql`sole_user = CASE WHEN kept.sole_user = excluded.sole_user THEN kept.sole_user ELSE '' END`

/** Updates known properties, and adds new ones while their name has room. */
async function putProperties(tx: Tx, properties: readonly AddedProperty[]): Promise<void> {
  const fresh = await newProperties(tx, properties)
  const counts = fresh.length === 0 ? new Map<string, number>() : await propertyCounts(tx, fresh)
  const overLimit = new Set<AddedProperty>()
  for (const [name, all] of Map.groupBy(fresh, nameOf)) {
    const room = LIMITS.propertiesPerEventName - (counts.get(name) ?? 0)
    for (const each of all.slice(Math.max(0, room))) overLimit.add(each)
  }
  const input = tx.dialect.rows(
    properties.filter((each) => !overLimit.has(each)),
    { text: ['sourceId', 'type', 'event', 'name', 'soleUser'], number: ['types', 'lastSeenAt'] },
  )
  const columns = sql`source_id, type, event, name, sole_user, types, last_seen_at`
  await tx.run(sql`
    INSERT INTO event_properties AS kept (${columns}) SELECT ${columns} FROM ${input} WHERE true
    ON CONFLICT (source_id, type, event, name) DO UPDATE SET
      types = kept.types | excluded.types, last_seen_at = excluded.last_seen_at, ${SOLE_USER}`)
  const overLimitRows = tx.dialect.rows([...overLimit], { text: ['sourceId', 'type', 'event'] })
  if (overLimit.size > 0)
    await tx.run(sql`
      UPDATE event_names SET more_properties = 1 WHERE (source_id, type, name) IN (
        SELECT source_id, type, event FROM ${overLimitRows})`)
}

function nameOf({ event: name, ...rest }: Omit<PropertyRow, 'name'>): string {
  return keyOf({ ...rest, name })
}

async function newProperties(
  tx: Tx,
  properties: readonly AddedProperty[],
): Promise<readonly AddedProperty[]> {
  const indexed = properties.map((each, index) => ({ ...each, index }))
  const input = tx.dialect.rows(indexed, {
    text: ['sourceId', 'type', 'event', 'name'],
    number: ['index'],
  })
  const rows = await tx.all(sql<{ readonly index: number }>`
    SELECT "index" FROM ${input} WHERE NOT EXISTS (
      SELECT 1 FROM event_properties AS kept WHERE kept.source_id = input.source_id
        AND kept.type = input.type AND kept.event = input.event AND kept.name = input.name)
    ORDER BY "index"`)
  return rows.map(({ index }) => properties[index]!)
}

/** How many properties are stored for each name of these properties. */
async function propertyCounts(
  tx: Tx,
  properties: readonly AddedProperty[],
): Promise<ReadonlyMap<string, number>> {
  const names = [...Map.groupBy(properties, nameOf).values()].map(([first]) => first!)
  const input = tx.dialect.rows(names, { text: ['sourceId', 'type', 'event'] })
  const rows = await tx.all(sql<Omit<PropertyRow, 'name'> & { readonly count: number }>`
    SELECT source_id AS "sourceId", type, event, (
      SELECT count(*) FROM event_properties AS kept WHERE kept.source_id = input.source_id
        AND kept.type = input.type AND kept.event = input.event) AS count
    FROM ${input}`)
  return new Map(rows.map((row) => [nameOf(row), row.count]))
}

/** Removes the names and properties that only these users sent, from some sources, or from all (`null`). */
export async function removeNamesOf(
  tx: Tx,
  ids: readonly ProfileId[],
  sourceIds: readonly string[] | null,
): Promise<void> {
  const isSoleUser = sql`sole_user <> '' AND sole_user ${tx.dialect.among(ids.map(({ kind, id }) => shortHash(`${kind} ${id}`)))}`
  const isInSource = sourceIds === null ? sql`` : sql`AND source_id ${tx.dialect.among(sourceIds)}`
  for (const table of [sql`event_names`, sql`event_properties`])
    await tx.run(sql`DELETE FROM ${table} WHERE ${isSoleUser} ${isInSource}`)
}

export async function removeNamesIn(tx: Tx, sourceId: string): Promise<void> {
  for (const table of [sql`event_names`, sql`event_properties`])
    await tx.run(sql`DELETE FROM ${table} WHERE source_id = ${sourceId}`)
}

interface ListInput {
  readonly filter: EventNameFilter
  readonly after: readonly string[]
  readonly limit: number
}

export async function listNames(
  tx: ReadTx,
  { filter: { sourceId, type }, after, limit }: ListInput,
): Promise<Page<EventName>> {
  const rows = await tx.all(sql<NameRow>`
    SELECT source_id AS "sourceId", type, name, count, first_seen_at AS "firstSeenAt",
      last_seen_at AS "lastSeenAt", days, more_properties AS "moreProperties"
    FROM event_names WHERE (source_id, type, name) > (${after[0]!}, ${after[1]!}, ${after[2]!})
      ${conditionsOf({ source_id: sourceId, type })}
    ORDER BY source_id, type, name LIMIT ${limit + 1}`)
  const input = tx.dialect.rows(rows.slice(0, limit), { text: ['sourceId', 'type', 'name'] })
  const properties = await tx.all(sql<PropertyRow>`
    SELECT kept.source_id AS "sourceId", kept.type AS type, kept.event AS event, kept.name AS name,
      kept.types AS types, kept.last_seen_at AS "lastSeenAt"
    FROM ${input} JOIN event_properties AS kept
      ON kept.source_id = input.source_id AND kept.type = input.type AND kept.event = input.name
    ORDER BY kept.name`)
  const byName = Map.groupBy(properties, nameOf)
  const cursorOf = (row: NameRow): string => JSON.stringify([row.sourceId, row.type, row.name])
  return pageOf(rows, { limit, cursorOf }, (row) => nameIn(row, byName.get(keyOf(row)) ?? []))
}

/** @throws {InvalidCursorError} here, not on the thread that reads */
function keyIn(cursor: string): readonly string[] {
  const key = parsedJson(cursor)
  if (Array.isArray(key) && key.length === 3 && key.every((part) => typeof part === 'string'))
    return key
  throw new InvalidCursorError()
}

function nameIn(
  { days, moreProperties, ...row }: NameRow,
  properties: readonly PropertyRow[],
): EventName {
  return {
    ...row,
    type: row.type as EventName['type'],
    firstSeenAt: timeOf(row.firstSeenAt),
    lastSeenAt: timeOf(row.lastSeenAt),
    days: daysIn(days),
    hasMoreProperties: moreProperties !== 0,
    properties: properties.map(({ name, types, lastSeenAt }) => ({
      name,
      types: PROPERTY_TYPES.filter((_, bit) => types & (1 << bit)),
      lastSeenAt: timeOf(lastSeenAt),
    })),
  }
}
