import type { AcceptedEvent } from '@hookline/protocol'
import { type EventHead, eventHeadOf, eventOf } from '../../accepted-event.ts'

/** Events in transit to the disk and the pipeline, with all bodies in one transferable buffer. */
export interface EventBlock {
  readonly heads: readonly EventHead[]
  readonly bodies: Uint8Array<ArrayBuffer>
  readonly ends: readonly number[]
}

export function blockOf(events: readonly AcceptedEvent[]): EventBlock {
  const ends: number[] = []
  let end = 0
  for (const { body } of events) ends.push((end += body.length))
  // Not pooled: the buffer is transferred.
  const bodies = Buffer.allocUnsafeSlow(end)
  for (const [index, { body }] of events.entries()) bodies.set(body, ends[index - 1] ?? 0)
  return { heads: events.map(eventHeadOf), bodies, ends }
}

export function bodyIn({ bodies, ends }: EventBlock, index: number): Buffer {
  const start = ends[index - 1] ?? 0
  return Buffer.from(bodies.buffer, bodies.byteOffset + start, ends[index]! - start)
}

export function eventsIn(block: EventBlock): AcceptedEvent[] {
  return block.heads.map((head, index) => eventOf(head, bodyIn(block, index)))
}
