import type { AcceptedEvent } from '@hookline/protocol'
import { type EventHead, eventHeadOf, eventOf } from '../../accepted-event.ts'

/**
 * Events on their way to the disk and to the pipeline: what is in columns, and all bodies in one buffer. A thread hands the
 * buffer on without a copy.
 */
export interface EventBlock {
  readonly heads: readonly EventHead[]
  readonly bodies: Uint8Array<ArrayBuffer>
  /** Where each body ends. */
  readonly ends: readonly number[]
}

export function blockOf(events: readonly AcceptedEvent[]): EventBlock {
  const ends: number[] = []
  let end = 0
  for (const { body } of events) ends.push((end += body.length))
  // Not from the pool, whose memory is shared: this one is given away.
  const bodies = Buffer.allocUnsafeSlow(end)
  for (const [index, { body }] of events.entries()) bodies.set(body, ends[index - 1] ?? 0)
  return { heads: events.map(eventHeadOf), bodies, ends }
}

/** The body at an index. */
export function bodyIn({ bodies, ends }: EventBlock, index: number): Buffer {
  const start = ends[index - 1] ?? 0
  return Buffer.from(bodies.buffer, bodies.byteOffset + start, ends[index]! - start)
}

/** The events of a block. They share its buffer. */
export function eventsIn(block: EventBlock): AcceptedEvent[] {
  return block.heads.map((head, index) => eventOf(head, bodyIn(block, index)))
}
