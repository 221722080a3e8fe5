import type { AcceptedEvent, Delivery, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { Deliveries } from '../backend/deliveries.ts'
import type { Archiving, Declined, Events } from '../backend/events.ts'
import type { Log, LogEntry } from '../backend/log.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import { deliveryId } from '../delivery/sending/webhook-request.ts'
import { retryWhileUnavailable } from '../delivery/records/retry-while-unavailable.ts'
import { quarantineAll } from '../delivery/records/quarantine.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import type { Acks } from './acks.ts'
import { decide } from './decide.ts'

/** A delivery for the dispatcher. `onRecorded` is called when its outcome is durable or it is parked. */
interface NewTask {
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
  /** Knows the events whose user is being purged. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly dispatcher: { deliver(task: NewTask): void }
  readonly acks: Acks
  readonly activity: Pick<ActivityListener, 'decided'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

/** An event with its decisions. */
interface Decided extends Archiving {
  readonly deliverTo: readonly Destination[]
}

/**
 * Reads entries from the log, decides for every destination, archives the events with the decisions, and hands the
 * deliveries to the dispatcher. It acks an entry when each of its deliveries is recorded or parked, never before. So
 * every step may run twice for an event, and every step is idempotent. An event that cannot be read is quarantined. An
 * event whose user is being purged is skipped.
 *
 * When a step throws, `run` rejects and may be called again. The log then returns all entries that are not acked. The
 * pipeline skips those that the dispatcher already has.
 */
export class Pipeline {
  readonly #options: PipelineOptions
  readonly #handedOver = new Set<LogEntry>()

  constructor(options: PipelineOptions) {
    this.#options = options
  }

  /** Runs until `signal` aborts. Deliveries that the dispatcher has may still be in flight then. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const entries of this.#options.log.consume({ signal })) {
      await this.#take(
        entries.filter((entry) => !this.#handedOver.has(entry)),
        signal,
      )
    }
  }

  async #take(entries: readonly LogEntry[], signal: AbortSignal): Promise<void> {
    const context = { ...this.#options, signal }
    const { clock, events } = this.#options
    const unreadable = entries.flatMap((entry) => entry.unreadable ?? [])
    const at = clock.now()
    if (
      !(await quarantineAll(
        unreadable.map((each) => ({ ...each, at })),
        context,
      ))
    )
      return
    const decided = await this.#decideAll(entries, signal)
    if (decided === undefined) return
    const archived = await retryWhileUnavailable(
      () => events.archive([...decided.values()]),
      context,
    )
    if (archived === undefined) return
    for (const entry of entries) {
      const ofEntry = entry.events.flatMap((event) => decided.get(event) ?? [])
      for (const each of ofEntry) this.#report(each, archived.value.has(each.event.id))
      this.#handOver(
        entry,
        ofEntry.filter(({ event }) => !archived.value.has(event.id)),
      )
    }
  }

  /** `undefined` when `signal` aborted first. */
  async #decideAll(
    entries: readonly LogEntry[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<AcceptedEvent, Decided> | undefined> {
    const context = { ...this.#options, signal }
    const decided = new Map<AcceptedEvent, Decided>()
    for (const { events, redelivered } of entries) {
      for (const event of events) {
        if (this.#options.deletions.isPurged(event)) continue
        if (!redelivered) {
          decided.set(event, this.#decide(event))
          continue
        }
        const again = await retryWhileUnavailable(() => this.#decideAgain(event), context)
        if (again === undefined) return undefined
        decided.set(event, again.value)
      }
    }
    return decided
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
   * For an event that may have been decided before a restart. Recorded decisions stay, even when destinations were
   * enabled or disabled since: a recorded delivery has ended or waits for its next round. Only destinations without a
   * record are decided now.
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
    const { acks, dispatcher } = this.#options
    const tasks = decided.flatMap(({ event, deliverTo }) =>
      deliverTo.map(({ id }) => ({ event, delivery: this.#newDelivery(event, id) })),
    )
    if (tasks.length === 0) return acks.add(entry)
    this.#handedOver.add(entry)
    let left = tasks.length
    const onRecorded = (): void => {
      if (--left > 0) return
      this.#handedOver.delete(entry)
      acks.add(entry)
    }
    try {
      for (const task of tasks) dispatcher.deliver({ ...task, onRecorded })
    } catch (error) {
      // Some of its deliveries may be sent twice. None is lost.
      this.#handedOver.delete(entry)
      throw error
    }
  }

  #report({ event, deliverTo, declined }: Decided, isDuplicate: boolean): void {
    const { decisions } = this.#options.metrics
    const { activity } = this.#options
    if (isDuplicate) {
      decisions.inc({ reason: 'duplicate' })
      return activity.decided({ event, destinationId: null, decision: 'duplicate' })
    }
    decisions.inc({ reason: 'deliver' }, deliverTo.length)
    for (const { id } of deliverTo) {
      activity.decided({ event, destinationId: id, decision: 'deliver' })
    }
    for (const { destinationId, reason } of declined) {
      decisions.inc({ reason })
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
      rounds: 0,
      firstDueAt: now,
      dueAt: now,
      webhooks: [],
    }
  }
}
