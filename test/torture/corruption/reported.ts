import { corruptionsOf } from '@hookline/server'
import { join } from 'node:path'
import type { CorruptionBase } from './bases.ts'
import { readColumn } from './database.ts'

/** The corruption that the data folder and `hookline doctor` report to the operator. */
export interface ReportedCorruption {
  readonly texts: readonly string[]
  /** Sequence numbers of events that are in quarantine themselves or with a delivery. */
  readonly quarantined: ReadonlySet<number>
  /** Whether a quarantined delivery belongs to an unknown event. */
  readonly hasStray: boolean
}

const NOTHING_LOST = /All rows were readable|(?:is|are) missing from the database\.$/
/** Reports about tables other than `events`. */
const OTHER_TABLE = /^Table (?!events:)|rebuilt from the readable rows/
const ROWS_ONLY = /^Table events: [^(]*$/
const NUMBERS = /\((numbers? \d[^)]*)\)/
const RANGE = /numbers? (\d+)(?: to (\d+))?/g

/** Reads the reports from the data folder. The service must have stopped. */
export function reportedBy(
  folder: string,
  { events }: Pick<CorruptionBase, 'events'>,
): ReportedCorruption {
  const eventIds = new Set(events.map(({ id }) => id))
  const ofDeliveries = readColumn(folder, 'deliveries JOIN quarantine USING (id)', 'event_id')
  const inQuarantine = new Set([...readColumn(folder, 'quarantine', 'id'), ...ofDeliveries])
  const hasStray = ofDeliveries.some((id) => !eventIds.has(id))
  const quarantined = events.filter(({ id }) => inQuarantine.has(id)).map(({ seq }) => seq)
  const corruptions = readColumn(folder, 'corruptions', 'description')
  const doctor = corruptionsOf(join(folder, 'hookline.db'))
  return { texts: [...corruptions, ...doctor], quarantined: new Set(quarantined), hasStray }
}

/** Whether this event is reported as missing from the database. */
export function reportsEvent({ texts, quarantined }: ReportedCorruption, seq: number): boolean {
  return quarantined.has(seq) || texts.some((text) => !OTHER_TABLE.test(text) && names(text, seq))
}

/** Whether this event, or a delivery of it, is reported as lost. */
export function reportsDelivery(reported: ReportedCorruption, seq: number): boolean {
  return (
    reportsEvent(reported, seq) ||
    reported.hasStray ||
    reported.texts.some((text) => OTHER_TABLE.test(text))
  )
}

/** A report without sequence numbers applies to every event. */
function names(text: string, seq: number): boolean {
  if (NOTHING_LOST.test(text) || ROWS_ONLY.test(text)) return false
  const [, numbers] = NUMBERS.exec(text) ?? []
  if (numbers === undefined) return true
  return [...numbers.matchAll(RANGE)].some(
    ([, first, last = first]) => seq >= Number(first) && seq <= Number(last),
  )
}
