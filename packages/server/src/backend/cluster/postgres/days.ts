import { idFrom, type IdPrefix, timeOfId } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'

export const DAY_MS = 24 * 60 * 60 * 1000

/** A table partitioned by the day in the ids of `key`. */
export interface DailyTable {
  readonly name: string
  readonly key: string
  readonly prefix: IdPrefix
}

/** The ids of all tables begin with the time of the event. */
export const DAILY_TABLES = [
  { name: 'events', key: 'id', prefix: 'evt' },
  { name: 'declined', key: 'event_id', prefix: 'evt' },
  { name: 'deliveries', key: 'id', prefix: 'msg' },
  { name: 'attempts', key: 'delivery_id', prefix: 'msg' },
] as const satisfies readonly DailyTable[]

const MIN_RANDOM = new Uint8Array(10)
/** Length of the prefix and the time. */
const BOUND_LENGTH = 14

/** The number of a day since 1970. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** Sorts before all ids of this time and after all ids of earlier times. */
export function boundAt(prefix: IdPrefix, ms: number): string {
  return idFrom(prefix, ms, MIN_RANDOM).slice(0, BOUND_LENGTH)
}

export function startOf(prefix: IdPrefix, day: number): string {
  return boundAt(prefix, day * DAY_MS)
}

/** For example `events_20260115`. */
export function partitionOf(table: string, day: number): string {
  return `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`
}

/** The day of a partition; `undefined` for the default partition. */
export function dayOfPartition(partition: string): number | undefined {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(partition) ?? []
  return year === undefined ? undefined : dayOf(Date.UTC(+year, +month! - 1, +day!))
}

/** The condition that a row belongs to a day. */
export function isOfDay({ key, prefix }: DailyTable, day: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.id(key)} >= ${startOf(prefix, day)} AND ${sql.id(key)} < ${startOf(prefix, day + 1)}`
}

/** Whether a day has partitions: it has either all or none. */
export async function hasDay(transaction: Transaction<unknown>, day: number): Promise<boolean> {
  const { rows } = await sql<{ readonly isThere: boolean }>`
    SELECT to_regclass(${partitionOf('events', day)}) IS NOT NULL AS "isThere"`.execute(transaction)
  return rows[0]!.isThere
}

/** The condition that a delivery belongs to one of these events (at least one). Bounds of ids select partitions. */
export function isOfEvents(eventIds: readonly string[]): RawBuilder<boolean> {
  const times = eventIds.map(timeOfId)
  const [from, to] = [boundAt('msg', Math.min(...times)), boundAt('msg', Math.max(...times) + 1)]
  return sql<boolean>`event_id = ANY(${eventIds}::text[]) AND id >= ${from} AND id < ${to}`
}
