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

let lastInstant: Instant = { ms: 0, text: formatTimestamp(0) }

/** The moment `ms` milliseconds after the epoch. It keeps the last one, because many calls arrive in one millisecond. */
export function instantAt(ms: number): Instant {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: formatTimestamp(ms) }
  return lastInstant
}

/** The moment that a timestamp of a client names; `undefined` where it cannot be read. */
export function readInstant(timestamp: Json | undefined): Instant | undefined {
  const ms = parseTimestamp(timestamp)
  if (ms === undefined) return undefined
  return isFormattedTimestamp(timestamp) ? { ms, text: timestamp } : instantAt(ms)
}
