import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import { Recurring } from '../../../util/time/recurring.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { Evaluations } from '../../evaluations.ts'
import { storeEvaluations } from '../../store/profiles/evaluations.ts'
import { lockProfiles } from '../../store/profiles/lock-profiles.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import type { ChunkPublisher } from './chunk-publisher.ts'
import { bytesInChunk, chunkOf, eventsOfChunk, MAX_EVENTS } from './chunk.ts'
import type { LogStream } from './log-stream.ts'

interface OutboxRelayOptions {
  readonly postgres: Postgres
  readonly stream: LogStream
  readonly publisher: Pick<ChunkPublisher, 'send'>
  readonly clock: Clock
}

interface OutboxRow {
  readonly number: number
  readonly chunk: Buffer
}

/** Chunks that are read at once. */
const MOST_ROWS = 32
/** How often the table is looked at: a read of no rows. */
const POLL_MS = 200

/**
 * Appends to the log what transactions of the database have put into the table `outbox`. Every node does so. A chunk has its
 * number as its id, so the server stores it once; and where it comes again much later, the archive has its events already.
 */
export class OutboxRelay implements AsyncDisposable {
  readonly #options: OutboxRelayOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(options: OutboxRelayOptions) {
    this.#options = options
    this.#running = new Recurring({ clock: options.clock, work: () => this.#relay() }).run(
      this.#stop.signal,
    )
  }

  /** Appends all that was committed before the call. It repeats what a node may have appended and not removed yet. */
  async flush(): Promise<void> {
    while (await this.#relaySome()) continue
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Resolves to the time until the next look. */
  async #relay(): Promise<number> {
    try {
      while (!this.#stop.signal.aborted && (await this.#relaySome())) continue
    } catch (error) {
      // PostgreSQL or NATS is away: the rows wait.
      if (!(error instanceof BackendUnavailable)) throw error
    }
    return POLL_MS
  }

  /** Whether there may be more. */
  async #relaySome(): Promise<boolean> {
    const { postgres } = this.#options
    const rows = await postgres.run(
      sql<OutboxRow>`SELECT number, chunk FROM outbox ORDER BY number LIMIT ${MOST_ROWS}`,
    )
    if (rows.length === 0) return false
    for (const row of rows) await this.#send(row)
    const numbers = rows.map(({ number }) => number)
    await postgres.run(sql`DELETE FROM outbox WHERE number = ANY(${numbers}::bigint[])`)
    return rows.length === MOST_ROWS
  }

  /** One after the other, so that the events of a source keep their order. */
  async #send({ number, chunk }: OutboxRow): Promise<void> {
    const { stream, publisher } = this.#options
    const [first] = eventsOfChunk(chunk, `outbox:${number}`).events
    // With the checksum: a database that was put back gives its numbers to other chunks.
    const id = `${OUTBOX_ID}${number}.${crc32(chunk)}`
    await publisher.send(stream.partitionOf(first?.sourceId ?? ''), chunk, id)
  }
}

/** Begins the id of a message that comes from the table `outbox`. */
export const OUTBOX_ID = 'outbox.'

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
    if (bytes > room || chunks.at(-1)!.length === MAX_EVENTS) {
      chunks.push([])
      room = CHUNK_BYTES
    }
    chunks.at(-1)!.push(event)
    room -= bytes
  }
  return chunks
}
