import {
  formatTimestamp,
  isFormattedTimestamp,
  type Json,
  parseTimestamp,
} from '@hookline/protocol'

/** A moment, with its text in the format of Hookline. */
export interface Instant {
  /** Milliseconds since the epoch. */
  readonly ms: number
  readonly text: string
}

/** `sentAt` of a batch or a call that has one. */
export interface SentAt {
  /** Absent where it cannot be read. */
  readonly instant: Instant | undefined
  /** Whether it is the time of a clock: a date alone, which is read as midnight, is not. */
  readonly isOfClock: boolean
}

let lastInstant: Instant = { ms: 0, text: formatTimestamp(0) }

/** The moment `ms` milliseconds after the epoch. It keeps the last one, because many calls arrive in one millisecond. */
export function instantAt(ms: number): Instant {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: formatTimestamp(ms) }
  return lastInstant
}

/** The moment that a timestamp of a client names; `undefined` where it cannot be read. */
function readInstant(timestamp: Json | undefined): Instant | undefined {
  const ms = parseTimestamp(timestamp)
  if (ms === undefined) return undefined
  return isFormattedTimestamp(timestamp) ? { ms, text: timestamp } : instantAt(ms)
}

/** `undefined` where there is none: client libraries send `null` and `''`, too. */
export function readSentAt(sentAt: Json | undefined): SentAt | undefined {
  if (sentAt === undefined || sentAt === null || sentAt === '') return undefined
  // Every time of day has a colon.
  const isOfClock = typeof sentAt !== 'string' || sentAt.includes(':')
  return { instant: readInstant(sentAt), isOfClock }
}
