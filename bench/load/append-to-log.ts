import { type Event, newId } from '@hookline/protocol'
import { acceptedEvent } from '../../packages/server/src/backend/accepted-event.ts'
import type { Log } from '../../packages/server/src/backend/log.ts'

/** Appends events durably, as the ingestion API does. */
export function appendToLog(log: Log, events: readonly Event[]): Promise<unknown> {
  const at = Date.now()
  return log.append(
    events.map((event) =>
      acceptedEvent({ id: newId('evt', at), sourceId: 'src_a', event, warnings: [] }),
    ),
  )
}
