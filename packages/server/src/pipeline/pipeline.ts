import type { AcceptedEvent, Delivery, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { Deliveries } from '../backend/deliveries.ts'
import type { Archiving, Declined, Events } from '../backend/events.ts'
import type { Log, LogEntry } from '../backend/log.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import { deliveryId } from '../delivery/rounds/delivery-id.ts'
import { patiently } from '../delivery/records/patiently.ts'
import { setAside } from '../delivery/records/set-aside.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import type { Acks } from './acks.ts'
import { decide } from './decide.ts'

/** A delivery that the pipeline hands over; `onRecorded` is called when its fate is durable. */
export interface HandedOver {
  readonly event: AcceptedEvent
  readonly delivery: Delivery
  readonly onRecorded: () => void
}

export interface PipelineOptions {
  readonly log: Log
  readonly catalog: Catalog
  readonly events: Events
  readonly deliveries: Deliveries
  readonly quarantine: Quarantine
  /** Knows which events are to be let go of. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly dispatcher: { deliver(task: HandedOver): void }
  readonly acks: Acks
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

/** An event with what was decided about it. */
interface Decided extends Archiving {
  readonly deliverTo: readonly Destination[]
}

/**
 * Takes entries from the log, decides for every destination, archives the events with the decisions,
 * and hands the deliveries to their lanes. An entry is acked when each of its deliveries has been
 * recorded: at an end, or parked. Never before. So everything here may happen twice to an event, and
 * each step is made so that the second time changes nothing. An event that cannot be read is set aside;
 * one whose user was deleted meanwhile is passed over.
 */
export class Pipeline {
  readonly #options: PipelineOptions

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  /** Works until `signal` aborts. Deliveries it has handed over may still be under way then. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const entries of this.#options.log.consume({ signal })) {
      await this.#take(entries, signal)
    }
  }

  async #take(entries: readonly LogEntry[], signal: AbortSignal): Promise<void> {
    const { events, deletions } = this.#options
    const untilAborted = { ...this.#options, signal }
    const at = this.#options.clock.now()
    const unreadable = entries.flatMap((entry) => entry.unreadable ?? [])
    const faulty = unreadable.map((each) => ({ ...each, at }))
    if (!(await setAside(faulty, { ...this.#options, signal }))) return
    const decided = new Map<AcceptedEvent, Decided>()
    for (const { events: ofEntry, redelivered } of entries) {
      for (const event of ofEntry) {
        if (deletions.isPurged(event)) continue
        const decideAgain = (): Promise<Decided> => this.#decideAgain(event)
        const again = redelivered ? await patiently(decideAgain, untilAborted) : undefined
        if (redelivered && again === undefined) return
        decided.set(event, again?.value ?? this.#decide(event))
      }
    }
    const archive = (): Promise<ReadonlySet<string>> => events.archive([...decided.values()])
    const duplicates = await patiently(archive, untilAborted)
    if (duplicates === undefined) return
    for (const entry of entries) {
      const ofEntry = entry.events.flatMap((event) => decided.get(event) ?? [])
      const kept = ofEntry.filter(({ event }) => !duplicates.value.has(event.id))
      const { decisions } = this.#options.metrics
      decisions.inc({ reason: 'duplicate' }, ofEntry.length - kept.length)
      this.#handOver(entry, kept)
    }
  }

  #decide(event: AcceptedEvent): Decided {
    const { catalog } = this.#options
    const deliverTo: Destination[] = []
    const declined: Declined[] = []
    for (const destination of catalog.current.destinationsBySource.get(event.sourceId) ?? []) {
      const reason = decide(event.event, destination)
      if (reason === 'deliver') deliverTo.push(destination)
      else declined.push({ destinationId: destination.id, reason })
    }
    return { event, declined, deliverTo }
  }

  /**
   * For an event that may have been decided before a restart: what is recorded of that stands, though
   * destinations were turned on or off since. Deliveries recorded have an end or wait for their next
   * round; only what left no record is decided now.
   */
  async #decideAgain(event: AcceptedEvent): Promise<Decided> {
    const { events, deliveries } = this.#options
    const { declined, deliverTo } = this.#decide(event)
    const archived = await events.find(event.id)
    const recorded = await deliveries.list({ eventId: event.id }, { limit: 10_000 })
    const wasDeclined = new Set(archived?.declined.map(({ destinationId }) => destinationId))
    const hasDelivery = new Set(recorded.data.map(({ destinationId }) => destinationId))
    return {
      event,
      declined: declined.filter(({ destinationId }) => !hasDelivery.has(destinationId)),
      deliverTo: deliverTo.filter(({ id }) => !wasDeclined.has(id) && !hasDelivery.has(id)),
    }
  }

  #handOver(entry: LogEntry, decided: readonly Decided[]): void {
    this.#count(decided)
    const tasks = decided.flatMap(({ event, deliverTo }) =>
      deliverTo.map(({ id }) => ({ event, delivery: this.#newDelivery(event, id) })),
    )
    let left = tasks.length
    if (left === 0) this.#options.acks.add(entry)
    const onRecorded = (): void => {
      if (--left === 0) this.#options.acks.add(entry)
    }
    for (const task of tasks) this.#options.dispatcher.deliver({ ...task, onRecorded })
  }

  #count(decided: readonly Decided[]): void {
    const { decisions } = this.#options.metrics
    for (const { deliverTo, declined } of decided) {
      decisions.inc({ reason: 'deliver' }, deliverTo.length)
      for (const { reason } of declined) decisions.inc({ reason })
    }
  }

  #newDelivery(event: AcceptedEvent, destinationId: string): Delivery {
    const now = this.#options.clock.now()
    return {
      id: deliveryId(event.id, destinationId),
      eventId: event.id,
      destinationId,
      state: 'pending',
      rounds: 0,
      firstDueAt: now,
      dueAt: now,
      webhooks: [],
    }
  }
}
