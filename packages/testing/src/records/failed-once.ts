import type { AcceptedEvent, Attempt, Delivery } from '@hookline/protocol'
import type { DeliveryActivity } from '../../../server/src/telemetry/activity-listener.ts'

/** The first attempt to deliver the event to the destination failed, and will be retried. */
export function failedOnce(event: AcceptedEvent, destinationId: string): DeliveryActivity {
  const attempt: Attempt = {
    id: 'att_1',
    number: 1,
    url: 'https://a.example/',
    startedAt: 0,
    durationMs: 5,
    outcome: 'retry',
    class: 'timeout',
  }
  const delivery: Delivery = {
    id: 'msg_1',
    eventId: event.id,
    destinationId,
    state: 'pending',
    attemptCount: 1,
    firstDueAt: 0,
    dueAt: 1,
    webhooks: [],
  }
  return { delivery, attempts: [attempt], isEnd: false }
}
