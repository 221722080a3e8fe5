import type { AcceptedEvent } from '@hookline/protocol'
import { JetStreamApiError } from '@nats-io/jetstream'
import { type Msg, TimeoutError } from '@nats-io/transport-node'
import type { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { type Clock, systemClock } from '../../../util/time/clock.ts'
import { BackendUnavailableError } from '../../backend.ts'
import type { ConsumeOptions, Log, LogEntry } from '../../log.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { ChunkPublisher } from './chunk-publisher.ts'
import { endOfChunk, LogPositions } from './chunk.ts'
import { StuckMessages } from './stuck-messages.ts'
import { HeldEntries, type HeldEntry } from './held-entries.ts'
import {
  LogStream,
  type LogStreamOptions,
  StreamMismatchError,
  type StreamState,
} from './log-stream.ts'
import { type NatsLink, unavailableError } from './nats-link.ts'
import { OutboxRelay } from './outbox.ts'
import { PartitionPull } from './partition-pull.ts'

export interface JetStreamLogOptions extends LogStreamOptions {
  readonly waiting: ByteBudget
  readonly clock?: Clock
  /** Resolves when this node can process entries, or `signal` aborts. By default it always can. */
  readonly canWork?: (signal: AbortSignal) => Promise<void>
}

/** How long the consumer may wait for the rest of the backend: shorter than the time until the entries of a dead node are redelivered. */
const MAX_RETRY_MS = 10_000
const ACK_TIMEOUT_MS = 5_000
const SIGNALS_PER_ACK_WAIT = 3

/** The log on a JetStream stream. Consuming nodes compete for its entries, and regularly report progress. */
export class JetStreamLog implements Log, AsyncDisposable {
  readonly maxRetryMs = MAX_RETRY_MS
  readonly positions = new LogPositions()
  readonly #canWork: (signal: AbortSignal) => Promise<void>
  readonly #link: NatsLink
  readonly #stream: LogStream
  readonly #publisher: ChunkPublisher
  readonly #waiting: ByteBudget
  readonly #clock: Clock
  readonly #held: HeldEntries
  #pulls: readonly PartitionPull[] = []
  #isBegun: (entry: LogEntry) => boolean = () => true
  #stuck: StuckMessages | undefined
  #cancelSignals: () => void = () => undefined

  private constructor(
    link: NatsLink,
    { waiting, clock = systemClock, canWork = async () => {}, ...rest }: JetStreamLogOptions,
  ) {
    this.#canWork = canWork
    this.#link = link
    this.#waiting = waiting
    this.#clock = clock
    this.#stream = new LogStream(link, clock, rest)
    this.#held = new HeldEntries(this.#stream.name)
    const { positions } = this
    this.#publisher = new ChunkPublisher({ link, stream: this.#stream, positions, clock })
  }

  /** @throws {StreamMismatchError | BackendUnavailableError} */
  static async open(link: NatsLink, options: JetStreamLogOptions): Promise<JetStreamLog> {
    const log = new JetStreamLog(link, options)
    try {
      await whenReady(() => log.#stream.ensure(), log.#clock)
    } catch (error) {
      throw error instanceof StreamMismatchError ? error : unavailableError(error)
    }
    log.#scheduleSignals()
    log.#stuck = new StuckMessages({ link, stream: log.#stream, clock: log.#clock })
    return log
  }

  get name(): string {
    return this.#stream.name
  }

  /** Returns a position at or after every event appended before the call. */
  lastPosition(): Promise<number> {
    return this.#request(async () => endOfChunk(await this.#stream.lastNumber()))
  }

  state(): Promise<StreamState> {
    return this.#request(() => this.#stream.state())
  }

  /** Messages that NATS acknowledged to this node and then lost. */
  get lostMessages(): number {
    return this.#publisher.lostMessages
  }

  async append(events: readonly AcceptedEvent[]): Promise<void> {
    if (events.length === 0) return
    this.#link.assertConnected()
    const bytes = events.reduce((sum, { body, rest }) => sum + body.length + rest.length, 0)
    if (!this.#waiting.take(bytes))
      throw new BackendUnavailableError('Too many calls are waiting for NATS (maxWaitingBytes).')
    try {
      await this.#publisher.publish(events)
    } finally {
      this.#waiting.release(bytes)
    }
  }

  async *consume({ signal, isBegun }: ConsumeOptions): AsyncIterable<readonly LogEntry[]> {
    this.#isBegun = isBegun ?? (() => true)
    await this.#canWork(signal)
    const before = this.#held.unacked()
    for (const entry of before) entry.redelivered = true
    this.#pulls = this.#stream.partitions.map((partition) => this.#pull(partition))
    try {
      if (before.length > 0) yield before
      while (!signal.aborted) {
        const entries = this.#held.takeReady()
        if (entries.length > 0) yield entries
        else await this.#held.ready(signal)
      }
    } finally {
      await this.#stopPulling()
    }
  }

  async ack(entries: readonly LogEntry[]): Promise<void> {
    const held = entries.flatMap((entry) => this.#held.find(entry) ?? [])
    for (const entry of held) entry.isDone = true
    try {
      await Promise.all(held.map((entry) => this.#ack(entry)))
    } catch (error) {
      throw unavailableError(error)
    }
  }

  /** Starts to append the chunks that transactions insert into the table `outbox`. */
  relayOutbox(postgres: Postgres): OutboxRelay {
    const [stream, publisher, clock] = [this.#stream, this.#publisher, this.#clock]
    return new OutboxRelay({ postgres, stream, publisher, clock })
  }

  /** Releases unacked entries. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelSignals()
    await this.#stuck?.[Symbol.asyncDispose]()
    await this.#stopPulling()
    try {
      for (const entry of this.#held.all()) if (!entry.isDone) entry.release()
      if (this.#link.isConnected) await this.#link.connection.flush()
    } catch {
      // The connection is closed: the entries are redelivered after `ackWaitMs`.
    }
  }

  async #request<Result>(request: () => Promise<Result>): Promise<Result> {
    this.#link.assertConnected()
    try {
      return await request()
    } catch (error) {
      throw unavailableError(error)
    }
  }

  #pull(partition: number): PartitionPull {
    return new PartitionPull({
      link: this.#link,
      stream: this.#stream,
      clock: this.#clock,
      partition,
      room: (signal) => this.#held.room(signal),
      onMessage: (message) => this.#receive(message),
    })
  }

  #receive(message: Msg): void {
    const entry = this.#held.receive(message)
    this.positions.keep(entry.events, this.#stream.numberOf(entry.sequence))
    if (entry.isDone) this.#signalProgress(entry)
  }

  async #ack(entry: HeldEntry): Promise<void> {
    try {
      await entry.ack(this.#link.connection, ACK_TIMEOUT_MS)
    } catch (error) {
      // A replaced consumer needs no ack: if the entry is still in the stream, it is redelivered.
      if (this.#stream.consumers.has(entry.consumer)) throw error
    }
    this.#held.drop(entry)
  }

  async #stopPulling(): Promise<void> {
    const pulls = this.#pulls
    this.#pulls = []
    await Promise.all(pulls.map((pull) => pull.stop()))
    this.#held.release(this.#isBegun)
  }

  #scheduleSignals(): void {
    this.#cancelSignals = this.#clock.after(this.#stream.ackWaitMs / SIGNALS_PER_ACK_WAIT, () => {
      if (this.#link.isConnected) for (const entry of this.#held.all()) this.#signalProgress(entry)
      this.#scheduleSignals()
    })
  }

  /** Retries a failed ack, or reports progress. */
  #signalProgress(entry: HeldEntry): void {
    if (entry.isDone) void this.#ack(entry).catch(() => undefined)
    else entry.keepAlive()
  }
}

/** How long to wait for servers: longer than newly started ones need to elect a leader on a busy machine. */
const READY_MS = 30_000
const RETRY_MS = 500
/** Servers without a leader respond with these codes, or not at all. */
const UNAVAILABLE = 503
const TOO_FEW_SERVERS = 10_005

/** Repeats the work while the servers of JetStream are starting. Rejects with the last error. */
async function whenReady(work: () => Promise<void>, clock: Clock): Promise<void> {
  const deadline = clock.now() + READY_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isStarting(error) || clock.now() >= deadline) throw error
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
    }
  }
}

function isStarting(error: unknown): boolean {
  if (error instanceof TimeoutError) return true
  if (!(error instanceof JetStreamApiError)) return false
  return error.status === UNAVAILABLE || error.code === TOO_FEW_SERVERS
}
