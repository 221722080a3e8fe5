import { timeOfId } from '@hookline/protocol'
import type { Transaction } from 'kysely'
import type { StoredSlice } from '../../stopped-data.ts'
import { putInOutbox } from '../announcements.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { dayOf } from '../upkeep/days.ts'
import { makeDay } from '../upkeep/make-day.ts'
import { insertRows } from './insert-rows.ts'
import type { MoveOptions } from './move-options.ts'
import { movedSoFar, recordPlace } from './move-progress.ts'
import { eventValues, MOVED_EVENTS } from './moved-events.ts'
import { MOVED_TABLES, type MovedTable, nameOf, WAITING } from './moved-tables.ts'
import type { WaitingEvents } from './waiting-events.ts'

/** How the rows of a table are copied. */
interface Copying<Row> {
  readonly name: string
  readonly read: (place: string | null) => StoredSlice<Row>
  readonly write: (transaction: Transaction<unknown>, rows: readonly Row[]) => Promise<void>
  /** Makes what has to be there before their transaction. */
  readonly prepare?: (rows: readonly Row[]) => Promise<void>
}

/** Copies what is not there yet. */
export async function copyRows(options: MoveOptions, waiting: WaitingEvents): Promise<void> {
  const { data, box, postgres } = options
  const days = new Set<number>()
  // First, so that what belongs to an event goes into the partition of its day.
  await copy(options, {
    name: MOVED_EVENTS.into,
    read: (place) => data.events('all', place),
    prepare: (rows) => makeDays(postgres, rows, days),
    write: (transaction, rows) => {
      const values = rows.flatMap((row) => (row.event ? [eventValues(row, row.event)] : []))
      return insertRows(transaction, MOVED_EVENTS, values, box)
    },
  })
  for (const table of MOVED_TABLES) await copyTable(options, table)
  await copy(options, {
    name: WAITING,
    read: (place) => data.events('pending', place),
    write: (transaction, rows) => putInOutbox(transaction, waiting.of(rows)),
  })
}

function copyTable(options: MoveOptions, table: MovedTable): Promise<void> {
  const { data, box } = options
  return copy(options, {
    name: nameOf(table),
    read: (place) => data.rows(table.from, place),
    write: (transaction, rows) => {
      const values = rows.map((row) => table.valuesOf(row, box.keys[0]!))
      return insertRows(transaction, table, values, box)
    },
  })
}

/** The rows of a slice, and where the next one begins, are one transaction. */
async function copy<Row>(
  { postgres, onMoved }: MoveOptions,
  { name, read, write, prepare }: Copying<Row>,
): Promise<void> {
  let { place, isDone } = await movedSoFar(postgres, name)
  while (!isDone) {
    const { rows, next } = read(place)
    await prepare?.(rows)
    await postgres.write(async (transaction) => {
      await write(transaction, rows)
      await recordPlace(transaction, name, next)
    })
    place = next
    isDone = next === null
  }
  onMoved?.(name)
}

/** Makes the partitions for events, unless this has made them before. */
async function makeDays(
  postgres: Postgres,
  events: readonly { readonly id: string }[],
  made: Set<number>,
): Promise<void> {
  for (const { id } of events) {
    const day = dayOf(timeOfId(id))
    if (made.has(day)) continue
    await postgres.write((transaction) => makeDay(transaction, day))
    made.add(day)
  }
}
