import { damageOf } from '@hookline/server'
import { join } from 'node:path'
import type { Base } from './bases.ts'
import { readColumn } from './database.ts'

/** What the data folder tells an operator of its damages, and what `hookline doctor` shows. */
export interface Told {
  readonly texts: readonly string[]
  /** Numbers of the events that are in quarantine, or of which a delivery is. */
  readonly quarantined: ReadonlySet<number>
  /** Whether a delivery is in quarantine whose event is not known. */
  readonly hasStray: boolean
}

const NOTHING_LOST = /Nothing is lost\.|All rows were readable|are missing from the database\.$/
/** Of other tables than that of events, of which the numbers are told. */
const OTHER_TABLE = /^Table (?!events:)|rebuilt from the readable rows/
const ROWS_ONLY = /^Table events: [^(]*$/
const RANGE = /numbers (\d+) to (\d+)/g

/** Reads the folder of a service that has stopped. */
export function toldBy(folder: string, { events }: Base): Told {
  const eventIds = new Set(events.map(({ id }) => id))
  const ofDeliveries = readColumn(folder, 'deliveries JOIN quarantine USING (id)', 'event_id')
  const inQuarantine = new Set([...readColumn(folder, 'quarantine', 'id'), ...ofDeliveries])
  const hasStray = ofDeliveries.some((id) => !eventIds.has(id))
  const quarantined = events.filter(({ id }) => inQuarantine.has(id)).map(({ seq }) => seq)
  const damages = readColumn(folder, 'damages', 'description')
  const doctor = damageOf(join(folder, 'hookline.db'))
  return { texts: [...damages, ...doctor], quarantined: new Set(quarantined), hasStray }
}

/** Whether it tells that the database does not have this event any more. */
export function tellsOfEvent({ texts, quarantined }: Told, seq: number): boolean {
  return quarantined.has(seq) || texts.some((text) => !OTHER_TABLE.test(text) && names(text, seq))
}

/** Whether it tells that the event, or a delivery of it, is lost. */
export function tellsOfDelivery(told: Told, seq: number): boolean {
  return (
    tellsOfEvent(told, seq) || told.hasStray || told.texts.some((text) => OTHER_TABLE.test(text))
  )
}

/** A text that names neither rows nor their numbers is of every event. */
function names(text: string, seq: number): boolean {
  if (NOTHING_LOST.test(text) || ROWS_ONLY.test(text)) return false
  const ranges = [...text.matchAll(RANGE)]
  return (
    ranges.length === 0 || ranges.some(([, from, to]) => seq >= Number(from) && seq <= Number(to))
  )
}
