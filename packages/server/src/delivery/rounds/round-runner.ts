import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { RecordedDelivery } from '../../backend/deliveries.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/clock.ts'
import { blockedUntil, isPaused } from '../health/destination-health.ts'
import { GoneDetector } from '../health/gone-detector.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { DeliveryTask, Lane } from '../lanes/lane.ts'
import { HistoryBudget } from '../records/history-budget.ts'
import type { AttemptRounds, BreakerChange, RoundResult } from './attempt-round.ts'
import { reportBreaker, reportRound } from './report-round.ts'
import { asHeld, asRejected } from './round.ts'

export interface RoundRunnerOptions {
  readonly catalog: Catalog
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly rounds: AttemptRounds
  readonly health: WebhookHealth
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Keeps the response to every failed attempt, without the limit of 100 an hour. */
  readonly keepsEveryResponse?: boolean
  readonly signal: AbortSignal
  /** A lane recovers: its parked deliveries may be tried now. */
  readonly onRecovery: () => void
  /** A webhook is being paused; the promise resolves when that is in the catalog. */
  readonly onPausing: (pausing: Promise<unknown>) => void
}

/** Runs the round of one task that has a slot, unless its destination has changed while the task waited. */
export class RoundRunner {
  readonly #options: RoundRunnerOptions
  readonly #history: HistoryBudget
  readonly #gone: GoneDetector

  constructor(options: RoundRunnerOptions) {
    this.#options = options
    this.#history = new HistoryBudget(options.clock, options.metrics.historyBodiesDropped)
    this.#gone = new GoneDetector(options)
  }

  /**
   * What is to be recorded; `'not begun'` when the task is purged, or its destination is disabled or blocked.
   * @throws an error that is a bug of Hookline
   */
  async run(lane: Lane, task: DeliveryTask): Promise<RecordedDelivery | 'not begun'> {
    const { catalog, deletions, health, clock, rounds } = this.#options
    const { delivery, event } = task
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (!destination) return { delivery: asRejected(delivery), attempts: [] }
    if (isPaused(destination)) return { delivery: asHeld(delivery), attempts: [] }
    if (deletions.isPurged(event)) return 'not begun'
    const isBlocked = blockedUntil(destination, health) > clock.now()
    if (!destination.enabled || isBlocked) return 'not begun'
    const result = await rounds.make(task, destination)
    this.#report(lane, destination, event, result)
    if (this.#options.keepsEveryResponse) return result
    return { ...result, attempts: this.#history.within(destination.id, result.attempts) }
  }

  #report(lane: Lane, { id }: Destination, event: Carried, result: RoundResult): void {
    const { logger, metrics, clock, signal, onPausing } = this.#options
    reportRound(result, event, { logger, metrics, now: clock.now() })
    for (const attempt of result.attempts) {
      lane.onResult(attempt)
      const pausing = this.#gone.onResult(id, attempt, signal)
      if (pausing) onPausing(pausing)
    }
    for (const change of result.breakerChanges) this.#onBreaker(lane, change)
  }

  #onBreaker(lane: Lane, change: BreakerChange): void {
    reportBreaker(lane.destinationId, change, this.#options)
    if (change.change === 'opened') return
    lane.beginRecovery()
    this.#options.onRecovery()
  }
}
