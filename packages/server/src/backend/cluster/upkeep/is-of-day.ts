import { type RawBuilder, sql } from 'kysely'
import { type DailyTable, startOf } from './days.ts'

/** Whether a row has the ids of a day. */
export function isOfDay({ key, prefix }: DailyTable, day: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.id(key)} >= ${startOf(prefix, day)} AND ${sql.id(key)} < ${startOf(prefix, day + 1)}`
}
