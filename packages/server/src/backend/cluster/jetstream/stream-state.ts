import type { Behind } from '../../upkeep.ts'
import { eventsOfChunk } from './chunk.ts'
import { MOST_EVENTS } from './log-positions.ts'
import type { LogStream } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'

/** What is in the stream: what is not acked. */
export interface StreamState {
  /** Counted in the first chunks. The others are taken to be as full. */
  readonly undecided: Behind
  /** Every event whose position is before this one is acked. */
  readonly ackedBefore: number
  readonly bytes: number
}

/** Chunks whose events are counted. */
const COUNTED_CHUNKS = 4
const ANY_SUBJECT = '>'

export async function readStreamState(link: NatsLink, stream: LogStream): Promise<StreamState> {
  const { state } = await link.manager.streams.info(stream.name)
  let [chunks, events, next] = [0, 0, state.first_seq]
  let oldestAt: number | null = null
  while (chunks < Math.min(state.messages, COUNTED_CHUNKS)) {
    const query = { seq: next, next_by_subj: ANY_SUBJECT }
    const message = await link.manager.streams.getMessage(stream.name, query)
    // It was acked meanwhile, and nothing comes after it.
    if (message === null) break
    const times = eventsOfChunk(Buffer.from(message.data), stream.name).events.map(
      ({ receivedAt }) => receivedAt,
    )
    // A damaged chunk tells when it was appended.
    if (chunks === 0) oldestAt = times.length > 0 ? Math.min(...times) : message.time.getTime()
    chunks++
    events += times.length
    next = message.seq + 1
  }
  const all = chunks < COUNTED_CHUNKS ? events : Math.round((events / chunks) * state.messages)
  return {
    undecided: { events: all, oldestAt },
    ackedBefore: stream.numberOf(state.first_seq) * MOST_EVENTS,
    bytes: state.bytes,
  }
}
