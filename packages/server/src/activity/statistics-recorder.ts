import { type AcceptedEvent, type IngestCodeName, timeOfId } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import type { Catalog } from '../backend/catalog.ts'
import { type CountsRow, SPANS, type Span, type Statistics } from '../backend/statistics.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type {
  ActivityListener,
  ChangeActivity,
  DecisionActivity,
  DeliveryActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/clock.ts'
import type { ClockWatch } from '../util/clock-watch.ts'
import { bucketOf } from '../util/histogram.ts'
import { MinuteCounts } from './minute-counts.ts'

export interface StatisticsRecorderOptions {
  readonly statistics: Statistics
  readonly catalog: Catalog
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly logger: Logger
}

const DAY_MS = 24 * SPANS.hour

/** How long rows are kept. */
const KEPT_MS: Readonly<Record<Span, number>> = { minute: 7 * DAY_MS, hour: 400 * DAY_MS }

/**
 * Counts activity by source and destination. Once a minute it adds the counts to the row of the minute and to the row
 * of the hour. A crash loses the counts of the current minute, never more.
 */
export class StatisticsRecorder
  implements Omit<ActivityListener, 'purged' | 'updated'>, AsyncDisposable
{
  readonly #options: StatisticsRecorderOptions
  #counts = new MinuteCounts()
  #minute: number
  #cancel: () => void = () => undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: StatisticsRecorderOptions) {
    this.#options = options
    this.#minute = startOf('minute', options.clock.wall())
  }

  /** Starts the writes, one a minute. */
  start(): void {
    const { clock } = this.#options
    const untilNext = this.#minute + SPANS.minute - clock.wall()
    this.#cancel = clock.after(untilNext, () => {
      this.#turnOver()
      this.start()
    })
  }

  /** Writes the counts of the current minute. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#turnOver()
    await this.#flushing
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const { sourceId, origin } of events)
      if (origin === undefined) this.#counts.add(sourceId, '', 'received')
  }

  refused(code: IngestCodeName | 'suppressed', calls: number): void {
    this.#counts.add('', '', `refused.${code}`, calls)
  }

  decided({ event, destinationId, decision }: DecisionActivity): void {
    if (decision === 'deliver') return
    const name = decision === 'duplicate' ? decision : `filtered.${decision}`
    // As in `recorded`: a computed event belongs to the source of each destination.
    const sourceId = this.#sourceOf(destinationId ?? '') || event.sourceId
    this.#counts.add(sourceId, destinationId ?? '', name)
  }

  recorded({ delivery, isEnd }: DeliveryActivity): void {
    if (!isEnd) return
    const { destinationId, state, eventId, replayId } = delivery
    const sourceId = this.#sourceOf(destinationId)
    const isDelivered = state === 'delivered'
    this.#counts.add(sourceId, destinationId, isDelivered ? 'delivered' : `failed.${state}`)
    // How long a replayed delivery took says nothing about latency.
    if (!isDelivered || replayId !== undefined) return
    const latencyMs = this.#options.clock.wall() - timeOfId(eventId)
    this.#counts.add(sourceId, destinationId, `latency.${bucketOf(latencyMs)}`)
  }

  /** A computation stands in the place of a source: its counts have no destination. */
  changed({ computationId, entered, left }: ChangeActivity): void {
    if (entered > 0) this.#counts.add(computationId, '', 'entered', entered)
    if (left > 0) this.#counts.add(computationId, '', 'left', left)
  }

  #sourceOf(destinationId: string): string {
    return this.#options.catalog.current.destinations.get(destinationId)?.sourceId ?? ''
  }

  /** The minute is over: its counts are written while those of the next one are collected. */
  #turnOver(): void {
    const [minute, counts] = [this.#minute, this.#counts]
    this.#minute = startOf('minute', this.#options.clock.wall())
    this.#counts = new MinuteCounts()
    this.#flushing = this.#flushing.then(() => this.#write(minute, counts))
  }

  async #write(minute: number, counts: MinuteCounts): Promise<void> {
    const { statistics, clockWatch, logger } = this.#options
    try {
      await this.#addPendingSample(counts)
      const rows = counts.rows()
      if (rows.length === 0) return
      await statistics.add([...rowsOf('minute', minute, rows), ...rowsOf('hour', minute, rows)])
      const reached = Math.min(minute, startOf('minute', clockWatch.removalTime()))
      for (const span of ['minute', 'hour'] as const) {
        await statistics.removeBefore(span, reached - KEPT_MS[span])
      }
    } catch (error) {
      logger.warn({ err: error }, 'statistics.not_kept')
    }
  }

  /** Adds a sample of how many deliveries are pending. The mean of the samples is the gauge of a longer time. */
  async #addPendingSample(counts: MinuteCounts): Promise<void> {
    const { waiting } = await this.#options.upkeep.backlog()
    for (const { destinationId, state, count } of waiting) {
      if (state !== 'pending') continue
      const sourceId = this.#sourceOf(destinationId)
      counts.add(sourceId, destinationId, 'pending.sum', count)
      counts.add(sourceId, destinationId, 'pending.samples', 1)
    }
  }
}

function startOf(span: Span, at: number): number {
  return Math.floor(at / SPANS[span]) * SPANS[span]
}

function rowsOf(
  span: Span,
  minute: number,
  rows: readonly Pick<CountsRow, 'sourceId' | 'destinationId' | 'counts'>[],
): CountsRow[] {
  return rows.map((row) => ({ span, start: startOf(span, minute), ...row }))
}
