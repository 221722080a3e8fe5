import { acceptedEvent } from '../../../../packages/server/src/backend/accepted-event.ts'
import { type AcceptedEvent, formatTimestamp, idFrom } from '@hookline/protocol'

const SOURCE = 'src_a'
/** The users of the events, in rotation. */
export const USERS = ['u1', 'u2', 'u3'] as const
const CONTEXT = {}
const PROPERTIES = { revenue: 39.95 }

/** Creates accepted events. They share properties and context, because there may be millions. */
export class SimulatedEvents {
  readonly #tail = new Uint8Array(10)
  readonly #random: () => number
  readonly #messageIds: string[] = []
  #created = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Creates `count` events. The first `repeats` of them have the messageId of an earlier event. */
  make(at: number, count: number, repeats = 0): AcceptedEvent[] {
    const receivedAt = formatTimestamp(at)
    return Array.from({ length: count }, (_, index) => this.#one(at, receivedAt, index < repeats))
  }

  #one(at: number, receivedAt: string, isRepeat: boolean): AcceptedEvent {
    new DataView(this.#tail.buffer).setUint32(6, this.#created++)
    const earlier = this.#messageIds[Math.floor(this.#random() * this.#messageIds.length)]
    const messageId = isRepeat && earlier !== undefined ? earlier : `message-${this.#created}`
    if (this.#messageIds.length < 1000) this.#messageIds.push(messageId)
    return acceptedEvent({
      id: idFrom('evt', at, this.#tail),
      sourceId: SOURCE,
      warnings: [],
      event: {
        type: 'track',
        messageId,
        userId: USERS[this.#created % USERS.length]!,
        event: 'Order Completed',
        properties: PROPERTIES,
        context: CONTEXT,
        timestamp: receivedAt,
        receivedAt,
      },
    })
  }
}
