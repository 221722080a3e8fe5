import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import type { StoppedData, StoredEvent } from '../../stopped-data.ts'
import { PurgedUsers, purgedIdsOf } from '../../store/purged-users.ts'
import { chunkOf, eventsOfChunk } from '../jetstream/chunk.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { EventTooLarge } from './move-faults.ts'
import { type Digest, RowDigest } from './row-digest.ts'

/** Of the headers of a message. */
const HEADER_BYTES = 1024
/** Chunks that are read at once: 16 MB. */
const CHUNKS = 32

/** Chooses the events that the pipeline is to get: not those that a purge, which has begun, is about to remove from the archive. */
export class WaitingEvents {
  readonly #maxPayloadBytes: number
  readonly #purged: PurgedUsers
  readonly #seqs = new WeakMap<object, number>()

  constructor(data: StoppedData, maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes
    this.#purged = new PurgedUsers({ positionOf: (event) => this.#seqs.get(event) })
    for (const { subjects, sourceIds, through } of data.openPurges())
      this.#purged.add(purgedIdsOf(subjects, { sourceIds, through }))
  }

  /** @throws {EventTooLarge} */
  of(rows: readonly StoredEvent[]): AcceptedEvent[] {
    return rows.flatMap(({ event, seq }) => {
      if (event === undefined) return []
      this.#seqs.set(event, seq)
      if (this.#purged.has(event)) return []
      this.#refuseLarge(event)
      return [event]
    })
  }

  #refuseLarge(event: AcceptedEvent): void {
    if (chunkOf([event]).length <= this.#maxPayloadBytes - HEADER_BYTES) return
    throw new EventTooLarge(
      `The event ${event.id} waits for the pipeline, and is larger than a message of NATS. Raise max_payload of the NATS servers, ` +
        'and run the command again.',
    )
  }
}

/** What is compared of an event that waits. */
export function waitingValues({ id, sourceId, body, rest }: AcceptedEvent) {
  return [id, sourceId, rest, Buffer.from(body)] as const
}

export async function digestOutbox(postgres: Postgres): Promise<Digest> {
  const digest = new RowDigest()
  let after = 0
  for (let count = CHUNKS; count === CHUNKS;) {
    const rows = await postgres.run(sql<{ readonly number: number; readonly chunk: Buffer }>`
      SELECT number, chunk FROM outbox WHERE number > ${after} ORDER BY number LIMIT ${CHUNKS}`)
    for (const { number, chunk } of rows) {
      after = number
      const { events } = eventsOfChunk(chunk, `outbox:${number}`)
      for (const event of events) digest.add(waitingValues(event))
    }
    count = rows.length
  }
  return digest.value
}
