import type { AcceptedEvent, Delivery, EventType, Mark, Origin } from '@hookline/protocol'
import { SerialisedEvent } from '../../backend/accepted-event.ts'

/** A fresh delivery with the number that its thread reports it by. */
export interface NumberedDelivery {
  readonly number: number
  readonly delivery: Delivery
  readonly event: AcceptedEvent
}

/** What crosses of a fresh delivery, besides the body of its event. */
type Head = readonly [
  number: number,
  deliveryId: string,
  destinationId: string,
  firstDueAt: number,
  eventId: string,
  sourceId: string,
  type: EventType,
  messageId: string,
  userId: string | undefined,
  previousId: string | undefined,
  receivedAt: number,
  rest: string,
  origin: Origin | undefined,
]

/** Fresh deliveries on their way to a thread: all that are ready, with their bodies in one buffer, which is moved. */
export interface FreshBlock {
  readonly heads: readonly Head[]
  readonly bodies: Uint8Array<ArrayBuffer>
  /** Where each body ends. */
  readonly ends: readonly number[]
}

const NO_MARKS: readonly Mark[] = []

export function freshBlockOf(deliveries: readonly NumberedDelivery[]): FreshBlock {
  const ends: number[] = []
  let end = 0
  for (const { event } of deliveries) ends.push((end += event.body.length))
  // Not from the pool, whose memory is shared: this one is given away.
  const bodies = Buffer.allocUnsafeSlow(end)
  const heads = deliveries.map((each, index) => {
    bodies.set(each.event.body, ends[index - 1] ?? 0)
    return headOf(each)
  })
  return { heads, bodies, ends }
}

function headOf({ number, delivery, event }: NumberedDelivery): Head {
  const { id, sourceId, type, messageId, userId, previousId, receivedAt, rest, origin } = event
  const to = [number, delivery.id, delivery.destinationId, delivery.firstDueAt] as const
  const from = [id, sourceId, type, messageId, userId, previousId] as const
  return [...to, ...from, receivedAt, rest, origin]
}

/** The deliveries of a block, none of them begun. */
export function deliveriesIn({ heads, bodies, ends }: FreshBlock): NumberedDelivery[] {
  return heads.map((head, index) => {
    const [number, id, destinationId, firstDueAt, eventId, sourceId, type, messageId] = head
    const [, , , , , , , , userId, previousId, receivedAt, rest, origin] = head
    const start = ends[index - 1] ?? 0
    const body = Buffer.from(bodies.buffer, bodies.byteOffset + start, ends[index]! - start)
    const ids = { id: eventId, sourceId, type, messageId, userId, previousId }
    const event = new SerialisedEvent({ ...ids, receivedAt, marks: NO_MARKS, origin, rest, body })
    const due = { firstDueAt, dueAt: firstDueAt }
    const delivery: Delivery = {
      id,
      eventId,
      destinationId,
      state: 'pending',
      rounds: 0,
      ...due,
      webhooks: [],
    }
    return { number, delivery, event }
  })
}
