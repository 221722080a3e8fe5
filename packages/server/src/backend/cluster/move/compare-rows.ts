import type { StoredSlice } from '../../stopped-data.ts'
import { comparable, digestTable } from './digest-table.ts'
import type { ComparedTable, MoveOptions, MoveReport } from './move-options.ts'
import { eventValues, MOVED_EVENTS } from './moved-events.ts'
import { MOVED_TABLES, type MovedTable, nameOf, WAITING } from './moved-tables.ts'
import { type Digest, RowDigest } from './row-digest.ts'
import { digestOutbox, type WaitingEvents, waitingValues } from './waiting-events.ts'

/** The ids of damaged events that a report has, at most. */
const MOST_DAMAGED = 100

/** Reads everything once more, here and there. */
export async function compareRows(
  options: MoveOptions,
  waiting: WaitingEvents,
): Promise<MoveReport> {
  const { postgres, box } = options
  const tables: ComparedTable[] = []
  const { archive, damagedEvents } = archiveIn(options)
  const moved = await digestTable(postgres, MOVED_EVENTS, box)
  tables.push({ table: MOVED_EVENTS.into, from: archive, to: moved })
  for (const table of MOVED_TABLES) {
    const to = await digestTable(postgres, table, box)
    tables.push({ table: nameOf(table), from: rowsIn(options, table), to })
  }
  const { pending, coveredEvents } = pendingIn(options, waiting)
  tables.push({ table: WAITING, from: pending, to: await digestOutbox(postgres) })
  return { tables, damagedEvents, coveredEvents }
}

function archiveIn({ data }: MoveOptions) {
  const digest = new RowDigest()
  const damagedEvents: string[] = []
  for (const row of allOf((place) => data.events('all', place))) {
    if (row.event !== undefined) digest.add(eventValues(row, row.event))
    else if (damagedEvents.length < MOST_DAMAGED) damagedEvents.push(row.id)
  }
  return { archive: digest.value, damagedEvents }
}

function rowsIn({ data, box }: MoveOptions, { from, columns, valuesOf }: MovedTable): Digest {
  const digest = new RowDigest()
  for (const row of allOf((place) => data.rows(from, place))) {
    const values = valuesOf(row, box.keys[0]!)
    digest.add(values.map((value, index) => comparable(columns[index]!, value)))
  }
  return digest.value
}

function pendingIn({ data }: MoveOptions, waiting: WaitingEvents) {
  const digest = new RowDigest()
  let coveredEvents = 0
  for (const row of allOf((place) => data.events('pending', place))) {
    const [event] = waiting.of([row])
    if (event !== undefined) digest.add(waitingValues(event))
    else if (row.event !== undefined) coveredEvents++
  }
  return { pending: digest.value, coveredEvents }
}

function* allOf<Row>(read: (place: string | null) => StoredSlice<Row>): Iterable<Row> {
  let place: string | null = null
  do {
    const slice: StoredSlice<Row> = read(place)
    yield* slice.rows
    place = slice.next
  } while (place !== null)
}
