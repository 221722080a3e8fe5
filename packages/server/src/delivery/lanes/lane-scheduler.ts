import type { LaneId } from '../../backend/deliveries.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { Lane } from './lane.ts'
import type { PartTask } from './open-delivery.ts'
import { PairMap } from '../../util/pair-map.ts'

export interface LaneSchedulerOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly metrics: Pick<Metrics, 'inFlight'>
  readonly limits: {
    /** Attempts in flight on this node. */
    readonly maxInFlight: number
    /** Attempts in flight of one lane, on all nodes together; here never more than `laneShare` of the node's. */
    readonly laneConcurrency: number
    /** Defaults to a quarter. */
    readonly laneShare?: number
    /** Parts of deliveries of one lane in memory. */
    readonly laneWindow: number
    /** Parts of deliveries of all lanes in memory, about. */
    readonly maxInMemory: number
  }
  /** When the next attempt of the lane may begin; 0 for at any time. */
  readonly nextAttemptAt: (id: LaneId) => number
  /** Aborts when the service stops: no further attempt begins. */
  readonly signal: AbortSignal
  /** A task has a slot. It must call `endAttempt` when its attempt is over. */
  readonly onSlot: (lane: Lane, task: PartTask) => void
}

/** Lanes that waited for others and try again, for each slot that becomes free. */
const TRY_AGAIN = 4
/** With steady traffic, a lane has recovered by then. */
const LONGEST_IDLE_MS = 60_000

/**
 * The lanes of all webhooks, and the slots that they share fairly. A lane exists while it has tasks. One that recovers is
 * kept for a minute without tasks, so that it does not forget its limit at once.
 *
 * A lane never has more attempts in flight than there are free slots. So k lanes whose receivers are slow leave 1/(k+1)
 * of the slots free, and a lane that becomes active gets a slot at once (Choudhury and Hahne, "Dynamic Queue Length
 * Thresholds", 1998).
 */
export class LaneScheduler {
  readonly #options: LaneSchedulerOptions
  readonly #lanes = new PairMap<Lane>()
  readonly #turns = new Turns<Lane>()
  /** Lanes that could begin an attempt, were it not for the slots of others. */
  readonly #outOfSlots = new Set<Lane>()
  /** Lanes that wait for their pace, and not for a slot, with the function that ends the wait. */
  readonly #paced = new Map<Lane, () => void>()
  readonly #slots: Slots
  #lookedAt = 0
  /** What a lane may have in flight on this node. */
  #concurrency = 1

  constructor(options: LaneSchedulerOptions) {
    this.#options = options
    this.#slots = new Slots(options.limits.maxInFlight)
    this.divide(UNDIVIDED)
  }

  /** Other nodes have come or gone. What is in flight beyond the new limit ends by itself. */
  divide(division: LaneDivision): void {
    const { maxInFlight, laneConcurrency, laneShare = 1 / 4 } = this.#options.limits
    const part = partOfLimit(laneConcurrency, division)
    this.#concurrency = Math.max(1, Math.min(part, Math.floor(maxInFlight * laneShare)))
    for (const lane of this.#lanes.values()) this.#turns.add(lane)
    this.#fillSlots()
  }

  /** Tasks in memory. */
  get inMemory(): number {
    return this.#lanes.values().reduce((sum, lane) => sum + lane.size, 0)
  }

  /** The lane of the webhook, opened if there is none. */
  lane(id: LaneId): Lane {
    const now = this.#options.clock.now()
    this.#closeUnused(now)
    const { destinationId, url } = id
    let lane = this.#lanes.get(destinationId, url)
    if (lane === undefined) {
      lane = new Lane(id, { window: () => this.#window(), concurrency: () => this.#concurrency })
      this.#lanes.set(destinationId, url, lane)
    }
    lane.usedAt = now
    return lane
  }

  /** How many attempts at the webhook are in flight. */
  inFlightAt({ destinationId, url }: LaneId): number {
    return this.#lanes.get(destinationId, url)?.inFlight ?? 0
  }

  /** Puts a task into its lane. Its attempt begins at once when it is the lane's turn and a slot is free. */
  add(lane: Lane, task: PartTask): void {
    lane.add(task)
    this.#turns.add(lane)
    this.#fillSlots()
  }

  /** Frees the slot of a task whose attempt is over, for the next task. */
  endAttempt(lane: Lane, task: PartTask): void {
    this.#slots.release(task)
    this.#options.metrics.inFlight.add(-1)
    lane.endAttempt(task)
    // The others first: this lane has just had its turn.
    this.#tryAgain()
    this.#turns.add(lane)
    this.#fillSlots()
  }

  /** A task of the lane has ended. Closes the lane when it has nothing to do any more. */
  closeIfIdle(lane: Lane): void {
    lane.usedAt = this.#options.clock.now()
    if (lane.isEmpty && !lane.isRecovering) this.#close(lane)
  }

  /** Looks once a minute for lanes that nothing was put into, and for those that recovered when their tasks ended. */
  #closeUnused(now: number): void {
    if (Math.abs(now - this.#lookedAt) < LONGEST_IDLE_MS) return
    this.#lookedAt = now
    for (const lane of this.#lanes.values())
      if (lane.isEmpty && Math.abs(now - lane.usedAt) >= LONGEST_IDLE_MS) this.#close(lane)
  }

  #close(lane: Lane): void {
    const { destinationId, url } = lane.id
    if (this.#lanes.get(destinationId, url) === lane) this.#lanes.delete(destinationId, url)
    this.#outOfSlots.delete(lane)
    this.#stopWaiting(lane)
  }

  /** Drops all tasks that wait for a slot, and returns their number. */
  clear(): number {
    for (const lane of this.#paced.keys()) this.#stopWaiting(lane)
    return this.#lanes.values().reduce((sum, lane) => sum + lane.clear(), 0)
  }

  #tryAgain(): void {
    let left = TRY_AGAIN
    for (const lane of this.#outOfSlots) {
      this.#outOfSlots.delete(lane)
      this.#turns.add(lane)
      // Without an attempt in flight, no later end of one would try the others.
      if (--left <= 0 && this.#slots.isBusy) return
    }
  }

  #fillSlots(): void {
    while (this.#slots.free > 0 && !this.#options.signal.aborted) {
      let task: PartTask | undefined
      const lane = this.#turns.next((each) => (task = this.#begin(each)) !== undefined)
      if (lane === undefined || task === undefined) return
      this.#slots.take(task)
      this.#options.metrics.inFlight.add(1)
      this.#options.onSlot(lane, task)
    }
  }

  #begin(lane: Lane): PartTask | undefined {
    if (!lane.mayBegin || this.#waitsForPace(lane)) return undefined
    const task = lane.inFlight < this.#slots.free ? lane.begin(this.#slots.mayRetry) : undefined
    if (task === undefined) this.#outOfSlots.add(lane)
    return task
  }

  /** A paced lane waits for its turn without a slot, and takes part again when it may begin the next attempt. */
  #waitsForPace(lane: Lane): boolean {
    const { clock, nextAttemptAt } = this.#options
    const waitMs = nextAttemptAt(lane.id) - clock.now()
    this.#stopWaiting(lane)
    if (waitMs <= 0) return false
    const resume = (): void => {
      this.#paced.delete(lane)
      this.#turns.add(lane)
      this.#fillSlots()
    }
    this.#paced.set(lane, clock.after(Math.ceil(waitMs), resume))
    return true
  }

  #stopWaiting(lane: Lane): void {
    this.#paced.get(lane)?.()
    this.#paced.delete(lane)
  }

  /** What each lane may have in memory: its window, or its share of the node's memory where many lanes are open. */
  #window(): number {
    const { laneWindow, maxInMemory } = this.#options.limits
    return Math.min(laneWindow, Math.max(2, Math.floor(maxInMemory / this.#lanes.size)))
  }
}

/** Retries may take this share of the slots, so they never crowd out first attempts. */
const RETRY_SHARE = 1 / 4

/** The attempts that this node may have in flight. */
class Slots {
  readonly #most: number
  #taken = 0
  #takenByRetries = 0

  constructor(most: number) {
    this.#most = most
  }

  get free(): number {
    return this.#most - this.#taken
  }

  /** Whether there is an attempt in flight. */
  get isBusy(): boolean {
    return this.#taken > 0
  }

  /** Whether a retry may take a slot. */
  get mayRetry(): boolean {
    return this.#takenByRetries < Math.max(1, Math.floor(this.#most * RETRY_SHARE))
  }

  take({ isRetry }: { readonly isRetry: boolean }): void {
    if (isRetry) this.#takenByRetries++
    this.#taken++
  }

  release({ isRetry }: { readonly isRetry: boolean }): void {
    if (isRetry) this.#takenByRetries--
    this.#taken--
  }
}

/**
 * Round robin. Every turn costs one attempt, so that queues that always have work differ by one turn at most. (With equal
 * costs, the deficit round robin of spec 03 is the same.)
 */
class Turns<Q> {
  readonly #ring = new Set<Q>()

  /** Adds a queue behind the others. One that is in the ring keeps its place. */
  add(queue: Q): void {
    this.#ring.add(queue)
  }

  /** The first queue that takes its turn, which puts it behind the others. Those that cannot take one leave the ring. */
  next(takesTurn: (queue: Q) => boolean): Q | undefined {
    for (const queue of this.#ring) {
      this.#ring.delete(queue)
      if (!takesTurn(queue)) continue
      this.#ring.add(queue)
      return queue
    }
    return undefined
  }
}

/** Which part of the limits of a lane this node has: each webhook gets the whole of them from all nodes together. */
export interface LaneDivision {
  /** The nodes that deliver; at least 1. */
  readonly nodes: number
  /** Which of them this is, from 0 on. */
  readonly place: number
}

export const UNDIVIDED: LaneDivision = { nodes: 1, place: 0 }

/** This node's part of a number. The parts of all nodes have it as their sum, and each is at least 1. */
export function partOfLimit(limit: number, { nodes, place }: LaneDivision): number {
  const rest = place < limit % nodes ? 1 : 0
  return Math.max(1, Math.floor(limit / nodes) + rest)
}
