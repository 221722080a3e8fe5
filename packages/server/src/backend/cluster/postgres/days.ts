import { type IdPrefix, timeOfId } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { DAY_MS, dayOf } from '../../days.ts'
import { idBound } from '../../store/rows.ts'

/** A table partitioned by the day in the ids of `key`. */
export interface DailyTable {
  readonly name: string
  readonly key: string
  readonly prefix: IdPrefix
}

/** The keys of all these tables begin with the time of the event. */
export const DAILY_TABLES = [
  { name: 'events', key: 'id', prefix: 'evt' },
  { name: 'declined', key: 'event_id', prefix: 'evt' },
  { name: 'deliveries', key: 'id', prefix: 'msg' },
  { name: 'attempts', key: 'delivery_id', prefix: 'msg' },
] as const satisfies readonly DailyTable[]

export function startOf(prefix: IdPrefix, day: number): string {
  return idBound(prefix, day * DAY_MS)
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
  const { rows } = await sql<{ readonly is_stored: boolean }>`
    SELECT to_regclass(${partitionOf('events', day)}) IS NOT NULL AS is_stored`.execute(transaction)
  return rows[0]!.is_stored
}

/** The condition that a delivery belongs to one of `eventIds`, which must not be empty. Bounds of ids select partitions. */
export function isOfEvents(eventIds: readonly string[]): RawBuilder<boolean> {
  const times = eventIds.map(timeOfId)
  const [from, to] = [idBound('msg', Math.min(...times)), idBound('msg', Math.max(...times) + 1)]
  return sql<boolean>`event_id = ANY(${eventIds}::text[]) AND id >= ${from} AND id < ${to}`
}
