import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Evaluations } from '../evaluations.ts'
import { storeEvaluations } from '../store/profiles/evaluations.ts'
import { lockProfiles } from '../store/profiles/lock-profiles.ts'
import { bytesInChunk, chunkOf } from './jetstream/chunk.ts'
import { MOST_EVENTS } from './jetstream/log-positions.ts'
import { PostgresTx } from './postgres/postgres-store.ts'
import type { Connection, Postgres } from './postgres/postgres.ts'

/** A chunk has to fit into a message of the log. */
const CHUNK_BYTES = 512 * 1024

/** How evaluations are stored together with the events that announce them: those go to the log by the outbox. */
export function announcementsIn(postgres: Postgres): Pick<Evaluations, 'commit' | 'tell'> {
  return {
    commit: (evaluated) =>
      postgres.write(async (transaction) => {
        const places = await storeEvaluations(new PostgresTx(transaction), evaluated)
        const stored = places.map((place) => evaluated[place]!)
        const announcements = stored.flatMap((each) => each.announcements)
        await putInOutbox(
          transaction,
          announcements.map(({ event }) => event),
        )
        return stored
      }),
    tell: (events, purges) =>
      postgres.write(async (transaction) => {
        const state = await lockProfiles(new PostgresTx(transaction))
        if (state.purges !== purges) return false
        await putInOutbox(transaction, events)
        return true
      }),
  }
}

/** Appends events to the log when the transaction commits, those of each source in their order. */
async function putInOutbox(
  transaction: Connection,
  events: readonly AcceptedEvent[],
): Promise<void> {
  if (events.length === 0) return
  // The log is parted by source, so a chunk has events of one.
  const chunks = [...Map.groupBy(events, ({ sourceId }) => sourceId).values()].flatMap(chunksOf)
  await sql`
    INSERT INTO outbox (chunk) SELECT chunk FROM unnest(${chunks.map(chunkOf)}::bytea[])
      WITH ORDINALITY AS chunks (chunk, place) ORDER BY place`.execute(transaction)
}

function chunksOf(events: readonly AcceptedEvent[]): AcceptedEvent[][] {
  const chunks: AcceptedEvent[][] = []
  let room = 0
  for (const event of events) {
    const bytes = bytesInChunk(event)
    if (bytes > room || chunks.at(-1)!.length === MOST_EVENTS) {
      chunks.push([])
      room = CHUNK_BYTES
    }
    chunks.at(-1)!.push(event)
    room -= bytes
  }
  return chunks
}
