import type { AcceptedEvent, Delivery, Destination } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import { type Catalog, destinationsOf } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import { eventHeadOf } from '../backend/accepted-event.ts'
import type { DeclinedDestination, Events, EventToArchive } from '../backend/events.ts'
import type { EntryProgress, Log, LogEntry } from '../backend/log.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import { deliveryId } from '../delivery/sending/webhook-request.ts'
import { retryWhileUnavailable } from '../delivery/records/retry-while-unavailable.ts'
import { quarantineAll } from '../delivery/records/quarantine.ts'
import type { FreshDelivery } from '../delivery/dispatcher.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { decide, declinedBy } from './decide.ts'

export interface PipelineOptions {
  readonly log: Log
  readonly catalog: Catalog
  readonly events: Events
  readonly quarantine: Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly dispatcher: {
    deliver(delivery: FreshDelivery): void
    readonly accepted: number
    ready(): Promise<void>
  }
  readonly activity: Pick<ActivityListener, 'decided'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborts when the service stops: a failed ack is not retried. */
  readonly signal: AbortSignal
}

interface DecidedEvent extends EventToArchive {
  readonly deliverTo: readonly Destination[]
  readonly destinations: number
}

interface FaultyEvent {
  readonly event: AcceptedEvent
  readonly cause: unknown
}

interface EntryEvent {
  readonly entry: LogEntry
  readonly event: AcceptedEvent
}

/** Deliveries per slice: bounds memory and time for large batches and many destinations. */
const SLICE_DELIVERIES = 500

const LOG_EVERY_MS = 10_000

const UNKNOWN_SOURCE = 'Unknown source, perhaps from another installation'
const STOPPED_BY_BUG = 'A bug in Hookline stopped the processing of this event.'

const NONE_DECIDED = { value: new Map<string, ReadonlySet<string>>() } as const

/**
 * Reads entries from the log, decides for every destination, archives the events with the decisions, and hands the
 * deliveries to the dispatcher in slices. It acks an entry once each delivery is recorded or parked, so every step may
 * repeat, and is idempotent. Events that are unreadable, come from an unknown source, or make a step throw are
 * quarantined. Events of a user who is being purged are skipped.
 *
 * When a step throws for another reason, `run` rejects and may be called again. The log then returns all unacked
 * entries, and the pipeline resumes each after the last event that it handed over.
 */
export class Pipeline implements AsyncDisposable {
  readonly #options: PipelineOptions
  readonly #acks: Acks
  /** Ids of all sources that have existed since startup. */
  readonly #sources = new Set<string>()
  /** Another installation may send many events: one line per source every ten seconds. */
  readonly #unknownSources: LogThrottle
  /** Counts of decisions for the events handed over. `#decisions` includes `#declined`. */
  #decisions = 0
  #declined = 0

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#acks = new Acks(options)
    this.#unknownSources = new LogThrottle(options.clock, LOG_EVERY_MS)
    this.#see()
    options.catalog.onChange(() => this.#see())
  }

  #see(): void {
    for (const id of this.#options.catalog.current.sources.keys()) this.#sources.add(id)
  }

  /** Decisions neither declined nor handed to the dispatcher; negative for surplus deliveries. 0 unless there is a bug. */
  get imbalance(): number {
    return this.#decisions - this.#declined - this.#options.dispatcher.accepted
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#acks.ended
  }

  /** Runs until `signal` aborts. The dispatcher may then still have deliveries in flight. */
  async run(signal: AbortSignal): Promise<void> {
    const isBegun = (entry: LogEntry): boolean => this.#isBegun(entry)
    // Without deliveries, nothing in this loop waits for I/O, so it must yield at intervals.
    const slices = new TimeSlices(this.#options.clock)
    for await (const entries of this.#options.log.consume({ signal, isBegun })) {
      await slices.yieldIfOver()
      const unreadable = entries.flatMap((entry) => entry.unreadable ?? [])
      if (!(await quarantineAll(unreadable, this.#patient(signal)))) return
      for (const slice of this.#slicesOf(entries)) {
        await slices.yieldIfOver()
        if (signal.aborted) return
        await this.#options.dispatcher.ready()
        if (!(await this.#take(slice, signal))) return
      }
    }
  }

  /** Slices of the events not yet handed over, with about SLICE_DELIVERIES deliveries each. */
  *#slicesOf(entries: readonly LogEntry[]): Iterable<readonly EntryEvent[]> {
    let slice: EntryEvent[] = []
    let deliveries = 0
    for (const entry of entries) {
      const { next } = progressOf(entry)
      if (entry.events.length === 0) this.#ackIfDone(entry)
      for (const event of entry.events.slice(next)) {
        slice.push({ entry, event })
        deliveries += this.#weightOf(event)
        if (deliveries < SLICE_DELIVERIES) continue
        yield slice
        slice = []
        deliveries = 0
      }
    }
    if (slice.length > 0) yield slice
  }

  #weightOf(event: AcceptedEvent): number {
    try {
      return Math.max(1, this.#destinationsOf(event).length)
    } catch {
      // The decision throws as well, and the event is quarantined.
      return 1
    }
  }

  /** Events from unknown sources have no destinations. Events from removed sources are only archived. */
  async #quarantineUnknownSources(
    events: readonly AcceptedEvent[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, logger, quarantine } = this.#options
    const at = clock.wall()
    const unknown = events.filter(({ origin, sourceId }) => !origin && !this.#sources.has(sourceId))
    if (unknown.length === 0) return true
    const items = unknown.map(({ id, sourceId }) => ({
      id,
      at,
      reason: `${UNKNOWN_SOURCE}: ${sourceId}.`,
    }))
    if ((await this.#retry(() => quarantine.add(items), signal)) === undefined) return false
    for (const [sourceId, { length }] of Map.groupBy(unknown, (event) => event.sourceId)) {
      const log = (quarantined: number): void =>
        logger.error({ sourceId, events: quarantined }, 'source.unknown')
      this.#unknownSources.count(sourceId, log, length)
    }
    return true
  }

  /** Decides, archives and hands over events, except quarantined ones. Returns false if `signal` aborts first. */
  async #take(slice: readonly EntryEvent[], signal: AbortSignal): Promise<boolean> {
    const { events } = this.#options
    const faulty: FaultyEvent[] = []
    const decided = await this.#decideAll(slice, faulty, signal)
    if (decided === undefined) return false
    const archived = await this.#retry(() => events.archive([...decided.values()]), signal)
    if (archived === undefined) return false
    const duplicates = archived.value
    const newEvents = [...decided.keys()].filter(({ id }) => !duplicates.has(id))
    if (!(await this.#quarantineUnknownSources(newEvents, signal))) return false
    for (const [event, decision] of decided) {
      try {
        this.#report(decision, duplicates.has(event.id))
      } catch (cause) {
        faulty.push({ event, cause })
      }
    }
    if (!(await this.#quarantine(faulty, signal))) return false
    for (const { event } of faulty) decided.delete(event)
    for (const { entry, event } of slice)
      this.#handOver(entry, duplicates.has(event.id) ? undefined : decided.get(event))
    return true
  }

  #quarantine(faulty: readonly FaultyEvent[], signal: AbortSignal): Promise<boolean> {
    const items = faulty.map(({ event, cause }) => ({
      id: event.id,
      reason: STOPPED_BY_BUG,
      content: Buffer.concat([Buffer.from(JSON.stringify(eventHeadOf(event))), event.body]),
      cause,
    }))
    return quarantineAll(items, this.#patient(signal))
  }

  /** Adds events whose decision throws to `faulty`. `undefined` if `signal` aborts first. */
  async #decideAll(
    slice: readonly EntryEvent[],
    faulty: FaultyEvent[],
    signal: AbortSignal,
  ): Promise<Map<AcceptedEvent, DecidedEvent> | undefined> {
    const { deletions, events } = this.#options
    const redeliveredIds = slice
      .filter(({ entry }) => entry.redelivered)
      .map(({ event }) => event.id)
    const recorded =
      redeliveredIds.length === 0
        ? NONE_DECIDED
        : await this.#retry(() => events.decidedDestinations(redeliveredIds), signal)
    if (recorded === undefined) return undefined
    const decided = new Map<AcceptedEvent, DecidedEvent>()
    const slices = new TimeSlices(this.#options.clock)
    for (const { event } of slice) {
      // A decision may parse the event.
      await slices.yieldIfOver()
      try {
        if (deletions.isPurged(event)) continue
        decided.set(
          event,
          this.#decide(event, this.#undecided(event, recorded.value.get(event.id))),
        )
      } catch (cause) {
        faulty.push({ event, cause })
      }
    }
    return decided
  }

  /** Stops when the log may redeliver the entries to another node. */
  #retry<T>(
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    return retryWhileUnavailable(work, this.#patient(signal))
  }

  #patient(signal: AbortSignal) {
    return { ...this.#options, signal, maxMs: this.#options.log.maxRetryMs }
  }

  #decide(event: AcceptedEvent, destinations: readonly Destination[]): DecidedEvent {
    const deliverTo: Destination[] = []
    const declined: DeclinedDestination[] = []
    // Once for all destinations: reading it may parse the event.
    const { integrations } = event
    for (const destination of destinations) {
      const reason = decide(event, integrations, destination)
      if (reason === 'deliver') deliverTo.push(destination)
      else declined.push(declinedBy(destination, reason))
    }
    return { event, declined, deliverTo, destinations: destinations.length }
  }

  #destinationsOf(event: AcceptedEvent): readonly Destination[] {
    return destinationsOf(event, this.#options.catalog.current)
  }

  /** Destinations to decide on. A redelivered event keeps its recorded decisions. */
  #undecided(event: AcceptedEvent, decided?: ReadonlySet<string>): readonly Destination[] {
    const all = this.#destinationsOf(event)
    return decided === undefined ? all : all.filter(({ id }) => !decided.has(id))
  }

  /** Hands an event over, or skips a duplicate or purged one. */
  #handOver(entry: LogEntry, decided: DecidedEvent | undefined): void {
    const progress = progressOf(entry)
    progress.isBegun = true
    if (decided !== undefined) this.#deliver(entry, decided, progress)
    progress.next++
    this.#ackIfDone(entry)
  }

  #deliver(entry: LogEntry, decided: DecidedEvent, progress: EntryProgress): void {
    const { event, deliverTo, declined, destinations } = decided
    this.#decisions += destinations
    this.#declined += declined.length
    const onRecorded = (): void => {
      progress.open--
      this.#ackIfDone(entry)
    }
    for (const { id } of deliverTo) {
      const delivery = this.#newDelivery(event, id)
      this.#options.dispatcher.deliver({ event, delivery, onRecorded })
      progress.open++
    }
  }

  /** Forgets the progress of an entry that has not been begun: the log may hand it to another node. */
  #isBegun(entry: LogEntry): boolean {
    const isBegun = entry.progress?.isBegun === true
    if (!isBegun) delete entry.progress
    return isBegun
  }

  #ackIfDone(entry: LogEntry): void {
    const { progress } = entry
    if (progress === undefined || progress.open > 0 || progress.next < entry.events.length) return
    progress.isBegun = true
    // If the ack fails, the log may return the entry, and all its events are handled again.
    progress.next = 0
    this.#acks.add(entry)
  }

  #report({ event, deliverTo, declined }: DecidedEvent, isDuplicate: boolean): void {
    const { activity, metrics } = this.#options
    const { decisions } = metrics
    if (isDuplicate) {
      decisions.count('duplicate', { reason: 'duplicate' })
      return activity.decided({ event, destinationId: null, decision: 'duplicate' })
    }
    decisions.count('deliver', { reason: 'deliver' }, deliverTo.length)
    for (const { id } of deliverTo) {
      activity.decided({ event, destinationId: id, decision: 'deliver' })
    }
    for (const { destinationId, reason } of declined) {
      decisions.count(reason, { reason })
      activity.decided({ event, destinationId, decision: reason })
    }
  }

  #newDelivery(event: AcceptedEvent, destinationId: string): Delivery {
    const now = this.#options.clock.now()
    return {
      id: deliveryId(event.id, destinationId),
      eventId: event.id,
      destinationId,
      state: 'pending',
      attemptCount: 0,
      firstDueAt: now,
      dueAt: now,
      webhooks: [],
    }
  }
}

function progressOf(entry: LogEntry): EntryProgress {
  return (entry.progress ??= { next: 0, open: 0, isBegun: false })
}

/** Acks finished entries, in batches: one ack is in progress at a time. Retries while the backend is unavailable. */
class Acks {
  readonly #options: PipelineOptions
  #done: LogEntry[] = []
  #acking: Promise<void> | undefined

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  add(entry: LogEntry): void {
    this.#done.push(entry)
    this.#acking ??= this.#ackAll()
  }

  get ended(): Promise<void> {
    return this.#acking ?? Promise.resolve()
  }

  async #ackAll(): Promise<void> {
    // After a microtask, so that entries that finish together share one ack.
    await Promise.resolve()
    while (this.#done.length > 0) {
      const entries = this.#done
      this.#done = []
      await this.#ack(entries)
    }
    this.#acking = undefined
  }

  async #ack(entries: readonly LogEntry[]): Promise<void> {
    const { log, logger } = this.#options
    try {
      await retryWhileUnavailable(() => log.ack(entries), this.#options)
    } catch (error) {
      // Nothing is lost: unacked entries are redelivered, and their deliveries are already recorded.
      logger.warn({ err: error }, 'ack.failed')
    }
  }
}
