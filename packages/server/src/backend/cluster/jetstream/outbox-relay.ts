import { sql } from 'kysely'
import { crc32 } from 'node:zlib'
import type { Clock } from '../../../util/time/clock.ts'
import { Recurring } from '../../../util/time/recurring.ts'
import { BackendUnavailable } from '../../backend.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { eventsOfChunk } from './chunk.ts'
import type { ChunkPublisher } from './chunk-publisher.ts'
import type { LogStream } from './log-stream.ts'
import { OUTBOX_ID } from './outbox-id.ts'

export interface OutboxRelayOptions {
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
