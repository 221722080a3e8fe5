/** A segment is 2^10 events in a row, by seq. The schema has this number, too: change it only with a migration. */
const SEGMENT_BITS = 10

/** How far the order of events in the table may differ from the order of receipt. */
export const SLACK_MS = 60_000

export const SEGMENT_EVENTS = 2 ** SEGMENT_BITS

/**
 * The segment of a row of `events` in SQL, spelled as in the indexes. The indexes begin with it, so that new rows change
 * only the few pages of the last segment, however large the table is. A look-up goes from segment to segment.
 */
export const SEGMENT = `seq >> ${SEGMENT_BITS}`

export function segmentOf(seq: number): number {
  return Math.floor(seq / SEGMENT_EVENTS)
}

export function firstSeqOf(segment: number): number {
  return segment * SEGMENT_EVENTS
}
