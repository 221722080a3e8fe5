import type { AcceptedEvent, Delivery } from '@hookline/protocol'
import type { Witness } from './witness.ts'

/** What the pipeline hands over to be delivered. */
interface Handed {
  readonly event: AcceptedEvent
  readonly delivery: Delivery
}

interface Dispatching<T extends Handed> {
  deliver(task: T): void
}

/** The dispatcher, with someone who is told of every decision to deliver. */
export function witnessedDispatcher<T extends Handed>(
  dispatcher: Dispatching<T>,
  witness: Witness,
): Dispatching<T> {
  return {
    deliver(task) {
      const { destinationId } = task.delivery
      witness.decided({ event: task.event, destinationId, decision: 'deliver' })
      dispatcher.deliver(task)
    },
  }
}
