import type { Catalog } from '../../backend/catalog.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { DeficitRoundRobin } from './deficit-round-robin.ts'
import { type DeliveryTask, Lane } from './lane.ts'
import { Slots } from './slots.ts'

export interface LaneSchedulerOptions {
  readonly catalog: Catalog
  readonly metrics: Pick<Metrics, 'inFlight'>
  readonly limits: {
    /** Rounds in flight on this node. */
    readonly maxInFlight: number
    /** Rounds in flight of one lane; never more than a quarter of the node's. */
    readonly laneConcurrency: number
    /** Deliveries of one lane in memory. */
    readonly laneWindow: number
    /** Deliveries of all lanes in memory, about. */
    readonly maxInMemory: number
  }
  /** Aborts when the service stops: no further round begins. */
  readonly signal: AbortSignal
  /** A task has a slot. It must call `endRound` when its round is over. */
  readonly onSlot: (lane: Lane, task: DeliveryTask) => void
}

/** What a turn of a lane may cost: the attempts of the largest round. */
const QUANTUM = 5

/**
 * The lanes of all destinations, and the slots that they share fairly. A lane exists while it has tasks or recovers.
 */
export class LaneScheduler {
  readonly #options: LaneSchedulerOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #turns = new DeficitRoundRobin<Lane>(QUANTUM)
  readonly #slots: Slots

  constructor(options: LaneSchedulerOptions) {
    this.#options = options
    this.#slots = new Slots(options.limits.maxInFlight)
  }

  /** Tasks in memory. */
  get inMemory(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.size, 0)
  }

  /** The lane of the destination, opened if there is none. */
  lane(destinationId: string): Lane {
    let lane = this.#lanes.get(destinationId)
    if (lane === undefined) {
      const { maxInFlight, laneConcurrency } = this.#options.limits
      lane = new Lane(destinationId, {
        window: () => this.#window(),
        concurrency: Math.max(1, Math.min(laneConcurrency, Math.floor(maxInFlight / 4))),
        cost: () => this.#webhooksOf(destinationId),
        mayRetry: () => this.#slots.mayRetry,
      })
      this.#lanes.set(destinationId, lane)
    }
    return lane
  }

  /** Puts a task into its lane. Its round begins at once when it is the lane's turn and a slot is free. */
  add(task: DeliveryTask): void {
    const lane = this.lane(task.delivery.destinationId)
    lane.add(task)
    this.#turns.add(lane)
    this.#fillSlots()
  }

  /** Frees the slot of a task whose round is over, for the next task. */
  endRound(lane: Lane, task: DeliveryTask): void {
    this.#slots.free(task)
    this.#options.metrics.inFlight.dec()
    lane.endRound()
    this.#turns.add(lane)
    // The share of the slots for retries may have been what kept other lanes from taking a turn.
    if (task.delivery.rounds > 0) for (const other of this.#lanes.values()) this.#turns.add(other)
    this.#fillSlots()
  }

  /** Closes a lane that has nothing to do any more. */
  closeIfIdle(lane: Lane): void {
    if (lane.isEmpty && !lane.isRecovering) this.#lanes.delete(lane.destinationId)
  }

  /** Drops all tasks that wait for a slot, and returns their number. */
  clear(): number {
    return this.#lanes.values().reduce((sum, lane) => sum + lane.clear(), 0)
  }

  #fillSlots(): void {
    while (this.#slots.hasFree && !this.#options.signal.aborted) {
      const lane = this.#turns.next()
      if (lane === undefined) return
      const task = lane.beginRound()
      this.#slots.take(task)
      this.#options.metrics.inFlight.inc()
      this.#options.onSlot(lane, task)
    }
  }

  /** What each lane may have in memory: its window, or its share of the node's memory where many lanes are open. */
  #window(): number {
    const { laneWindow, maxInMemory } = this.#options.limits
    return Math.min(laneWindow, Math.max(2, Math.floor(maxInMemory / this.#lanes.size)))
  }

  #webhooksOf(destinationId: string): number {
    const destination = this.#options.catalog.current.destinations.get(destinationId)
    return destination?.settings.webhooks.length ?? 1
  }
}
