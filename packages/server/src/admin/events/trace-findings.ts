import type { Delivery, Destination } from '@hookline/protocol'
import type { ArchivedEvent } from '../../backend/events.ts'
import { TRACE_FINDINGS } from './trace-reasons.ts'

/** What is said of an event, with the remedy. */
export interface TraceFinding {
  readonly code: keyof typeof TRACE_FINDINGS
  readonly message: string
  readonly remedy: string
}

/** What explains why an event arrived nowhere, or only once, apart from the decision for each destination. Pure. */
export function traceFindings(
  { declined, duplicates, origin, event }: ArchivedEvent,
  {
    source,
    destinations,
    deliveries,
  }: {
    readonly source: { readonly name: string | null }
    /** Those that the event is for now. */
    readonly destinations: readonly Destination[]
    readonly deliveries: readonly Delivery[]
  },
): TraceFinding[] {
  const receivedAt = Date.parse(event.receivedAt)
  const had = destinations.some(({ createdAt }) => createdAt <= receivedAt)
  const isForNone = declined.length === 0 && deliveries.length === 0 && !had
  const isRemoved = origin === undefined && source.name === null
  return [
    ...(isRemoved ? [finding('source_removed')] : []),
    ...(isForNone && !isRemoved ? [finding('no_destination')] : []),
    ...(duplicates > 0 ? [finding('duplicates')] : []),
  ]
}

function finding(code: TraceFinding['code']): TraceFinding {
  const { meaning: message, help: remedy } = TRACE_FINDINGS[code]
  return { code, message, remedy }
}
