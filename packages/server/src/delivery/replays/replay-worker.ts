import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import type { Replay, Replays } from '../../backend/replays.ts'
import type { Clock } from '../../util/time/clock.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import { selectionOf } from '../../routing/filter.ts'
import type { Worker } from '../../util/workers/worker.ts'
import { deliveryId } from '../sending/webhook-request.ts'

export interface ReplayWorkerOptions {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly replays: Replays
  readonly activity: Pick<ActivityListener, 'updated'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onRequeued: () => void
}

/**
 * The maximum numbers of rows read and of deliveries requeued per slice. Either takes a few
 * milliseconds.
 */
const SCAN = 1_000
const MAX_DELIVERIES_PER_SLICE = 250
const POLL_EVERY_MS = 10_000
const AFTER_FAILURE_MS = 1_000

/** Runs replays, a slice of each in turn. Deliveries become pending in the transaction that advances the cursor. */
export class ReplayWorker implements Worker {
  readonly name = 'replays'
  readonly #options: ReplayWorkerOptions
  readonly #recurring: RecurringWork
  readonly #rates = new Map<string, ReplayRate>()

  constructor(options: ReplayWorkerOptions) {
    this.#options = options
    this.#recurring = new RecurringWork({ clock: options.clock, work: () => this.#takeTurns() })
  }

  wake(): void {
    this.#recurring.wake()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #takeTurns(): Promise<number> {
    const { data: open } = await this.#options.replays.list({ isOpen: true }, { limit: 200 })
    const ids = new Set(open.map(({ id }) => id))
    for (const id of this.#rates.keys()) if (!ids.has(id)) this.#rates.delete(id)
    let waitMs = POLL_EVERY_MS
    for (const replay of open) waitMs = Math.min(waitMs, await this.#takeTurnOrFail(replay))
    return waitMs
  }

  async #takeTurnOrFail(replay: Replay): Promise<number> {
    try {
      return await this.#takeTurn(replay)
    } catch (error) {
      this.#options.logger.warn({ ...this.#fieldsOf(replay), err: error }, 'replay.failed')
      return AFTER_FAILURE_MS
    }
  }

  async #takeTurn(replay: Replay): Promise<number> {
    const { catalog, replays, activity, clock, logger, onRequeued } = this.#options
    const { id, selection, cursor } = replay
    const rate = this.#rates.get(id) ?? new ReplayRate(replay.ratePerSecond ?? Infinity)
    this.#rates.set(id, rate)
    const limit = Math.min(MAX_DELIVERIES_PER_SLICE, rate.allowance(clock.now()))
    if (limit === 0) return rate.waitMs(clock.now())
    const destination = catalog.current.destinations.get(selection.destinationId)
    const isSelected = selectionOf(destination)
    const slice = await replays.select(selection, { cursor, scan: SCAN, limit, isSelected })
    const deliveries = slice.eventIds.map((eventId) => ({
      id: deliveryId(eventId, selection.destinationId),
      eventId,
    }))
    const { scanned, reachedAt, cursor: next } = slice
    const step = { deliveries, scanned, reachedAt, cursor: next, now: clock.now() }
    const after = await replays.advance(replay, step)
    activity.updated({ resource: 'replays', id })
    rate.use(deliveries.length)
    if (deliveries.length > 0) onRequeued()
    if (after?.state === 'finished') {
      const { scanned: all, requeued } = after
      const fields = { ...this.#fieldsOf(replay), scanned: all, requeued }
      logger.info(fields, 'replay.finished')
    }
    return after?.state === 'running' ? rate.waitMs(clock.now()) : 0
  }

  #fieldsOf({ id: replayId, selection }: Replay): object {
    const { current } = this.#options.catalog
    return { ...fieldsOf(selection.destinationId, undefined, current), replayId }
  }
}

const SECOND_MS = 1_000

export class ReplayRate {
  readonly #perSecond: number
  #secondBegan = -Infinity
  #used = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  allowance(now: number): number {
    if (now >= this.#secondBegan + SECOND_MS) {
      this.#secondBegan = now
      this.#used = 0
    }
    return Math.max(0, this.#perSecond - this.#used)
  }

  use(deliveries: number): void {
    this.#used += deliveries
  }

  waitMs(now: number): number {
    return this.allowance(now) > 0 ? 0 : this.#secondBegan + SECOND_MS - now
  }
}
