import type { Event } from '@hookline/protocol'
import { call } from './calls.ts'

/** An event as ingest makes it of a call. */
export function event(): Event {
  const { timestamp, ...rest } = call()
  return { ...(rest as Omit<Event, 'timestamp' | 'receivedAt'>), timestamp, receivedAt: timestamp }
}
