import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import { RecurringWork } from '../../../util/time/recurring.ts'
import type { Evaluations } from '../../evaluations.ts'
import { storeEvaluations } from '../../store/profiles/evaluations.ts'
import { lockProfiles } from '../../store/profiles/lock-profiles.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import { unlessUnavailable } from '../postgres/unavailable.ts'
import type { ChunkPublisher } from './chunk-publisher.ts'
import { bytesInChunk, chunkOf, eventsOfChunk, MAX_EVENTS } from './chunk.ts'
import type { LogStream } from './log-stream.ts'

interface OutboxRelayOptions {
  readonly postgres: Postgres
  readonly stream: LogStream
  readonly publisher: ChunkPublisher
  readonly clock: Clock
}

interface OutboxRow {
  readonly number: number
  readonly chunk: Buffer
}

const MAX_ROWS = 32
const POLL_MS = 200

/** Appends the chunks in the table `outbox` to the log, on every node. Each has an id, so the server stores it once. */
export class OutboxRelay implements AsyncDisposable {
  readonly #options: OutboxRelayOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(options: OutboxRelayOptions) {
    this.#options = options
    const work = async (signal: AbortSignal): Promise<number> => {
      // If PostgreSQL or NATS is unavailable, the rows wait.
      await unlessUnavailable(this.flush(signal))
      return POLL_MS
    }
    this.#running = new RecurringWork({ clock: options.clock, work }).run(this.#stop.signal)
  }

  /** Appends every chunk committed before the call, unless `signal` aborts. */
  async flush(signal: AbortSignal = new AbortController().signal): Promise<void> {
    while (!signal.aborted && (await this.#relaySome())) continue
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #relaySome(): Promise<boolean> {
    const { postgres } = this.#options
    const rows = await postgres.run(
      sql<OutboxRow>`SELECT number, chunk FROM outbox ORDER BY number LIMIT ${MAX_ROWS}`,
    )
    if (rows.length === 0) return false
    for (const row of rows) await this.#send(row)
    const numbers = rows.map(({ number }) => number)
    await postgres.run(sql`DELETE FROM outbox WHERE number = ANY(${numbers}::bigint[])`)
    return rows.length === MAX_ROWS
  }

  /** Sequential, so that a source's events keep their order. */
  async #send({ number, chunk }: OutboxRow): Promise<void> {
    const { stream, publisher } = this.#options
    const [first] = eventsOfChunk(chunk, `outbox:${number}`).events
    // With the checksum, because a restored database reuses numbers for other chunks.
    const id = `${OUTBOX_ID}${number}.${crc32(chunk)}`
    await publisher.send(stream.partitionOf(first?.sourceId ?? ''), chunk, id)
  }
}

export const OUTBOX_ID = 'outbox.'

/** A chunk must fit into a message in the log. */
const CHUNK_BYTES = 512 * 1024

/** Stores evaluations and the events that announce them in one transaction. The outbox appends these events to the log. */
export function announcementsIn(postgres: Postgres): Pick<Evaluations, 'commit' | 'announce'> {
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
    announce: (events, purges) =>
      postgres.write(async (transaction) => {
        const state = await lockProfiles(new PostgresTx(transaction))
        if (state.purges !== purges) return false
        await putInOutbox(transaction, events)
        return true
      }),
  }
}

/** Appends events to the log once the transaction has committed, in order within each source. */
async function putInOutbox(
  transaction: Connection,
  events: readonly AcceptedEvent[],
): Promise<void> {
  if (events.length === 0) return
  // The log is partitioned by source, so a chunk contains events from one source only.
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
    if (bytes > room || chunks.at(-1)!.length === MAX_EVENTS) {
      chunks.push([])
      room = CHUNK_BYTES
    }
    chunks.at(-1)!.push(event)
    room -= bytes
  }
  return chunks
}
