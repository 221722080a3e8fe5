import { idFrom, type IdPrefix, timeOfId } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'

export const DAY_MS = 24 * 60 * 60 * 1000

/** A table with one partition a day: by the time in the ids of `key`, which begin with `prefix`. */
export interface DailyTable {
  readonly name: string
  readonly key: string
  readonly prefix: IdPrefix
}

/** Every table with partitions. What belongs to an event has the time of the event in its id. */
export const DAILY_TABLES = [
  { name: 'events', key: 'id', prefix: 'evt' },
  { name: 'declined', key: 'event_id', prefix: 'evt' },
  { name: 'deliveries', key: 'id', prefix: 'msg' },
  { name: 'attempts', key: 'delivery_id', prefix: 'msg' },
] as const satisfies readonly DailyTable[]

const LEAST = new Uint8Array(10)
/** `evt_` and the letters of the time. */
const BOUND_LENGTH = 14

/** A day by its number since 1970. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** What sorts before the ids of this time and after those of the time before. */
export function boundAt(prefix: IdPrefix, ms: number): string {
  return idFrom(prefix, ms, LEAST).slice(0, BOUND_LENGTH)
}

/** Where the ids of a day begin. */
export function startOf(prefix: IdPrefix, day: number): string {
  return boundAt(prefix, day * DAY_MS)
}

/** `events_20260115` */
export function partitionOf(table: string, day: number): string {
  return `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`
}

/** The day of a partition; `undefined` for one that is not of a day. */
export function dayOfPartition(partition: string): number | undefined {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(partition) ?? []
  return year === undefined ? undefined : dayOf(Date.UTC(+year, +month! - 1, +day!))
}

/** Whether a row has the ids of a day. */
export function isOfDay({ key, prefix }: DailyTable, day: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.id(key)} >= ${startOf(prefix, day)} AND ${sql.id(key)} < ${startOf(prefix, day + 1)}`
}

/** Whether a day has partitions: it has all of them or none. */
export async function hasDay(transaction: Transaction<unknown>, day: number): Promise<boolean> {
  const { rows } = await sql<{ readonly isThere: boolean }>`
    SELECT to_regclass(${partitionOf('events', day)}) IS NOT NULL AS "isThere"`.execute(transaction)
  return rows[0]!.isThere
}

/**
 * Whether a delivery is one of these events, of which there is at least one. It has the time of its event in its id, so few
 * partitions are looked at.
 */
export function isOfEvents(eventIds: readonly string[]): RawBuilder<boolean> {
  const times = eventIds.map(timeOfId)
  const [from, to] = [boundAt('msg', Math.min(...times)), boundAt('msg', Math.max(...times) + 1)]
  return sql<boolean>`event_id = ANY(${eventIds}::text[]) AND id >= ${from} AND id < ${to}`
}
