import type { WebhookLimits } from '@hookline/protocol'
import type { LaneId } from '../../backend/deliveries.ts'
import type { AttemptSpacing } from './attempt-spacing.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { Lane, type LaneLimits } from './lane.ts'
import type { PartTask } from './open-delivery.ts'
import { PairMap } from '../../util/pair-map.ts'

export interface LaneSchedulerOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly metrics: Pick<Metrics, 'inFlight'>
  readonly limits: {
    readonly maxInFlight: number
    /**
     * The maximum number of attempts in flight per lane across all nodes; on one node, at most
     * `laneShare` of `maxInFlight`.
     */
    readonly maxConcurrencyPerWebhook: number
    readonly laneShare?: number
    readonly webhookQueueSize: number
    /** The approximate maximum number of parts in memory, in all lanes together. */
    readonly maxInMemory: number
  }
  /** When the next attempt of the lane may begin; 0 for any time. */
  readonly nextAttemptAt: (id: LaneId) => number
  /** The limits of the webhook. Call `limitsChanged` when they change. */
  readonly limitsOf: (id: LaneId) => WebhookLimits | undefined
  /** Spaces the attempts of webhooks with `limits.perSecond`. */
  readonly spacing: Pick<AttemptSpacing, 'reserve' | 'release'>
  /** Whether Hookline makes no attempts to the webhook now, because its breaker is open or its receiver requested a pause. */
  readonly isBlocked: (id: LaneId) => boolean
  readonly signal: AbortSignal
  /** Called when a task gets a slot. It must call `endAttempt` when the attempt is over. */
  readonly onSlot: (lane: Lane, task: PartTask) => void
}

/** How many lanes waiting for a slot try again when one is freed. */
const LANES_PER_FREED_SLOT = 4
/**
 * How long a recovering lane stays open while it is empty: long enough to recover with steady
 * traffic.
 */
const MAX_IDLE_MS = 60_000

/**
 * The lanes of all webhooks, and the slots that they share. A lane exists while it has tasks; a recovering one is kept a
 * minute longer, with its limit.
 *
 * A lane never has more attempts in flight than there are free slots. So k slow lanes leave 1/(k+1) of the slots free, and
 * a lane that becomes active gets one immediately (Choudhury and Hahne, "Dynamic Queue Length Thresholds", 1998).
 */
export class LaneScheduler {
  readonly #options: LaneSchedulerOptions
  readonly #lanes = new PairMap<Lane>()
  /** Lanes with work, in the order of their turns. A turn is one attempt: with equal costs, this is deficit round robin. */
  readonly #turns: Lane[] = []
  readonly #laneLimits: LaneLimits
  /** Lanes with work that wait for other lanes to free slots. */
  readonly #outOfSlots = new Set<Lane>()
  /** Lanes that wait for their pace, with the function that cancels the timer. */
  readonly #paced = new Map<Lane, () => void>()
  readonly #slots: Slots
  #lookedAt = 0
  /** The maximum number of attempts in flight per lane on this node. */
  #concurrency = 1
  #division = UNDIVIDED

  constructor(options: LaneSchedulerOptions) {
    this.#options = options
    this.#slots = new Slots(options.limits.maxInFlight)
    this.#laneLimits = {
      window: () => this.#window(),
      concurrency: (own) => this.#concurrencyOf(own),
    }
    this.divide(UNDIVIDED)
  }

  /** Applies this node's share of the limits, after a node joined or left. Attempts in flight beyond a lower limit run to completion. */
  divide(division: LaneDivision): void {
    const { maxInFlight, maxConcurrencyPerWebhook, laneShare = 1 / 4 } = this.#options.limits
    this.#division = division
    const part = partOfLimit(maxConcurrencyPerWebhook, division)
    this.#concurrency = Math.max(1, Math.min(part, Math.floor(maxInFlight * laneShare)))
    for (const lane of this.#lanes.values()) this.#queue(lane)
    this.#fillSlots()
  }

  /** Call it when the catalog has changed. New limits apply from the next attempt. */
  limitsChanged(): void {
    const { limitsOf, spacing } = this.#options
    for (const lane of this.#lanes.values()) {
      const before = lane.limits
      lane.limits = limitsOf(lane.id)
      if (lane.limits === before) continue
      if (lane.limits?.perSecond !== before?.perSecond && lane.reservedAt !== undefined) {
        spacing.release(lane.id, lane.reservedAt)
        lane.reservedAt = undefined
      }
      this.#queue(lane)
    }
    this.#fillSlots()
  }

  get inMemory(): number {
    return this.#lanes.values().reduce((sum, lane) => sum + lane.size, 0)
  }

  lane(id: LaneId): Lane {
    const now = this.#options.clock.now()
    this.#closeUnused(now)
    const { destinationId, url } = id
    let lane = this.#lanes.get(destinationId, url)
    if (lane === undefined) {
      lane = new Lane(id, this.#laneLimits)
      lane.limits = this.#options.limitsOf(id)
      this.#lanes.set(destinationId, url, lane)
    }
    lane.usedAt = now
    return lane
  }

  inFlightAt({ destinationId, url }: LaneId): number {
    return this.#lanes.get(destinationId, url)?.inFlight ?? 0
  }

  /** Queues a task. Its attempt begins when its lane has its turn and a slot is free. */
  add(lane: Lane, task: PartTask): void {
    lane.add(task)
    this.#queue(lane)
    this.#fillSlots()
  }

  endAttempt(lane: Lane, task: PartTask): void {
    this.#slots.release(task)
    this.#options.metrics.inFlight.add(-1)
    lane.endAttempt(task)
    // The others first: this lane has just had its turn.
    this.#tryAgain()
    this.#queue(lane)
    this.#fillSlots()
  }

  closeIfIdle(lane: Lane): void {
    lane.usedAt = this.#options.clock.now()
    if (lane.isEmpty && !lane.isRecovering) this.#close(lane)
  }

  /** At most once a minute, closes lanes that have been empty and unused for a minute, even if they are recovering. */
  #closeUnused(now: number): void {
    if (Math.abs(now - this.#lookedAt) < MAX_IDLE_MS) return
    this.#lookedAt = now
    for (const lane of this.#lanes.values())
      if (lane.isEmpty && Math.abs(now - lane.usedAt) >= MAX_IDLE_MS) this.#close(lane)
  }

  #close(lane: Lane): void {
    const { destinationId, url } = lane.id
    if (this.#lanes.get(destinationId, url) === lane) this.#lanes.delete(destinationId, url)
    this.#outOfSlots.delete(lane)
    this.#stopWaiting(lane)
  }

  clear(): number {
    for (const lane of this.#paced.keys()) this.#stopWaiting(lane)
    return this.#lanes.values().reduce((sum, lane) => sum + lane.clear(), 0)
  }

  #tryAgain(): void {
    let remaining = LANES_PER_FREED_SLOT
    for (const lane of this.#outOfSlots) {
      this.#outOfSlots.delete(lane)
      this.#queue(lane)
      // With no attempt in flight, nothing would try the other lanes later.
      if (--remaining <= 0 && this.#slots.isBusy) return
    }
  }

  #fillSlots(): void {
    const { signal, metrics, onSlot } = this.#options
    while (this.#slots.free > 0 && !signal.aborted) {
      const lane = this.#turns.shift()
      if (lane === undefined) return
      lane.hasTurn = false
      const task = this.#begin(lane)
      if (task === undefined) continue
      // Behind the other lanes. The loop reaches it again.
      this.#queue(lane)
      this.#slots.take(task)
      metrics.inFlight.add(1)
      onSlot(lane, task)
    }
  }

  /** Gives the lane a turn, unless it already has one. */
  #queue(lane: Lane): void {
    if (lane.hasTurn) return
    lane.hasTurn = true
    this.#turns.push(lane)
  }

  #begin(lane: Lane): PartTask | undefined {
    if (!lane.mayBegin || this.#waitsForPace(lane)) return undefined
    const task = lane.inFlight < this.#slots.free ? lane.begin(this.#slots.mayRetry) : undefined
    if (task === undefined) this.#outOfSlots.add(lane)
    return task
  }

  /** A paced lane waits without a slot until its next attempt may begin. */
  #waitsForPace(lane: Lane): boolean {
    const { clock, nextAttemptAt } = this.#options
    this.#stopWaiting(lane)
    const waitMs = Math.max(nextAttemptAt(lane.id), this.#reservedAt(lane)) - clock.now()
    if (waitMs <= 0) return false
    const resume = (): void => {
      this.#paced.delete(lane)
      this.#queue(lane)
      this.#fillSlots()
    }
    this.#paced.set(lane, clock.after(Math.ceil(waitMs), resume))
    return true
  }

  /**
   * The time that `limits.perSecond` permits, reserved until the lane begins an attempt; 0 without
   * this limit or while blocked.
   */
  #reservedAt(lane: Lane): number {
    const { spacing, isBlocked } = this.#options
    const perSecond = lane.limits?.perSecond
    if (perSecond === undefined || isBlocked(lane.id)) return 0
    return (lane.reservedAt ??= spacing.reserve(lane.id, perSecond / this.#division.nodes))
  }

  #concurrencyOf(own: number | undefined): number {
    if (own === undefined) return this.#concurrency
    return Math.min(this.#concurrency, partOfLimit(own, this.#division))
  }

  #stopWaiting(lane: Lane): void {
    this.#paced.get(lane)?.()
    this.#paced.delete(lane)
  }

  /** The capacity of a lane in memory: its window, or its share of the node's memory if many lanes are open. */
  #window(): number {
    const { webhookQueueSize, maxInMemory } = this.#options.limits
    return Math.min(webhookQueueSize, Math.max(2, Math.floor(maxInMemory / this.#lanes.size)))
  }
}

/** The share of the slots for retries, so that they never crowd out first attempts. */
const RETRY_SHARE = 1 / 4

class Slots {
  readonly #max: number
  #taken = 0
  #takenByRetries = 0

  constructor(max: number) {
    this.#max = max
  }

  get free(): number {
    return this.#max - this.#taken
  }

  get isBusy(): boolean {
    return this.#taken > 0
  }

  get mayRetry(): boolean {
    return this.#takenByRetries < Math.max(1, Math.floor(this.#max * RETRY_SHARE))
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

/** This node's share of the limits per lane, which apply to all nodes together. */
export interface LaneDivision {
  readonly nodes: number
  readonly index: number
}

export const UNDIVIDED: LaneDivision = { nodes: 1, index: 0 }

/**
 * This node's part of a limit, at least 1. The parts of all nodes add up to the limit, unless it is
 * lower than the number of nodes.
 */
export function partOfLimit(limit: number, { nodes, index }: LaneDivision): number {
  const rest = index < limit % nodes ? 1 : 0
  return Math.max(1, Math.floor(limit / nodes) + rest)
}
