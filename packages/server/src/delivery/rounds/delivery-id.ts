import { idFrom, timeOfId } from '@hookline/protocol'
import { hash } from 'node:crypto'

/**
 * The id of the delivery of an event to a destination, which is the `webhook-id` of every attempt.
 * Made from the two alone, so that an attempt repeated after a crash, before anything of the first
 * was written, carries the same id and the receiver can tell. Begins with the time of the event.
 */
export function deliveryId(eventId: string, destinationId: string): string {
  const digest = hash('sha256', `${eventId}/${destinationId}`, 'buffer')
  return idFrom('msg', timeOfId(eventId), digest)
}
