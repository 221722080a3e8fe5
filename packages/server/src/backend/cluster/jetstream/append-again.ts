import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { NatsLink } from './nats-link.ts'

/** Messages of one subject, between two sequences. */
export interface StrayMessages {
  readonly streamName: string
  readonly subject: string
  readonly from: number
  readonly through: number
}

/** Of a message that was appended again: the sequence that it had first. */
const FIRST_SEQUENCE = 'Hookline-First-Sequence'

/**
 * Appends messages again, and removes those that were there. It is for messages that no consumer hands out: where all servers of
 * a cluster were killed at once, some may have them and others not. They keep their place in the log, so that a purge that
 * covers them still does. Nodes that do so at once store each of them once.
 */
export async function appendAgain(
  { manager, js }: NatsLink,
  { streamName, subject, from, through }: StrayMessages,
): Promise<void> {
  for (let next = from; ;) {
    const query = { seq: next, next_by_subj: subject }
    const message = await manager.streams.getMessage(streamName, query)
    if (message === null || message.seq > through) return
    const sequence = firstSequenceIn(message.header) ?? message.seq
    const header = headers()
    header.set(FIRST_SEQUENCE, String(sequence))
    const msgID = `again.${message.seq}.${message.time.getTime()}`
    await js.publish(subject, message.data, { msgID, headers: header })
    await manager.streams.deleteMessage(streamName, message.seq, false)
    next = message.seq + 1
  }
}

/** The sequence that a message had before it was appended again; `undefined` of one that was not. */
export function firstSequenceIn(header: MsgHdrs | undefined): number | undefined {
  const sequence = Number(header?.get(FIRST_SEQUENCE))
  return sequence > 0 ? sequence : undefined
}
