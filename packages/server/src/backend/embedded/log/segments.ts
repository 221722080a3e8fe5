/** 2^10 events: as many of them in a row, by seq, are a segment. Part of the schema, so never to be changed alone. */
const SEGMENT_BITS = 10

/** Events reach the table a little after they were received, not always in that order. */
export const SLACK_MS = 60_000

export const SEGMENT_EVENTS = 2 ** SEGMENT_BITS

/**
 * The segment of a row of `events` in SQL, spelled as in its indexes. They begin with it, so that what is added lands
 * on the few pages of the last segment, however large the table is; a look-up goes from segment to segment.
 */
export const SEGMENT = `seq >> ${SEGMENT_BITS}`

export function segmentOf(seq: number): number {
  return Math.floor(seq / SEGMENT_EVENTS)
}

export function firstSeqOf(segment: number): number {
  return segment * SEGMENT_EVENTS
}
