import { type AcceptedEvent, type IngestCodeName, timeOfId } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import type { Backend } from '../backend/backend.ts'
import {
  type CountsRange,
  type CountsRow,
  SPANS,
  type Span,
  type Statistics,
} from '../backend/statistics.ts'
import type {
  ActivityListener,
  ChangeActivity,
  DecisionActivity,
  DeliveryActivity,
  UnlinkedActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import { bucketOf } from '../util/histogram.ts'
import {
  type HeldRows,
  type Minute,
  type MinuteCounts,
  OtherCounts,
  UnwrittenCounts,
} from './unwritten-counts.ts'

export interface StatisticsRecorderOptions extends Pick<
  Backend,
  'catalog' | 'signals' | 'statistics' | 'upkeep'
> {
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
 *
 * `read` adds the unwritten counts of all nodes; their writes wait for the read.
 */
export class StatisticsRecorder
  implements Omit<ActivityListener, 'purged' | 'updated'>, Pick<Statistics, 'read'>, AsyncDisposable
{
  readonly #options: StatisticsRecorderOptions
  readonly #unwritten: UnwrittenCounts
  /** Those of the current minute. */
  #counts: MinuteCounts
  readonly #others: OtherCounts
  #cancel: () => void = () => undefined

  constructor(options: StatisticsRecorderOptions) {
    this.#options = options
    const { clock, signals } = options
    this.#unwritten = new UnwrittenCounts(clock, startOf('minute', clock.wall()))
    this.#counts = this.#unwritten.current.counts
    this.#others = new OtherCounts(clock, signals, (range) => this.#hold(range))
  }

  /** Starts the writes, one a minute. */
  start(): void {
    const { clock } = this.#options
    const untilNext = this.#unwritten.current.start + SPANS.minute - clock.wall()
    this.#cancel = clock.after(untilNext, () => {
      this.#turnOver()
      this.start()
    })
  }

  /** As `Statistics.read`, with the counts of the current minute first, of all nodes. */
  async *read(range: CountsRange): AsyncIterable<readonly CountsRow[]> {
    using own = await this.#hold(range)
    using others = await this.#others.read(range)
    yield [...own.rows, ...others.rows]
    yield* this.#options.statistics.read(range)
  }

  /** The counts that are not written yet. They stay so until they are disposed of. */
  async #hold(range: CountsRange): Promise<HeldRows> {
    const held = await this.#unwritten.hold()
    const rows = held.minutes.flatMap(({ start, counts }) =>
      rowsOf(range.span, start, counts.rows()),
    )
    return { rows: rows.filter(isIn(range)), [Symbol.dispose]: () => held[Symbol.dispose]() }
  }

  /** Writes the counts of the current minute. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#turnOver()
    await this.#unwritten.written()
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const { sourceId, origin } of events)
      if (origin === undefined) this.#counts.add(sourceId, '', 'received')
  }

  refused(code: IngestCodeName | 'suppressed', calls: number, sourceId = ''): void {
    this.#counts.add(sourceId, '', `refused.${code}`, calls)
  }

  decided({ event, destinationId, decision }: DecisionActivity): void {
    if (decision === 'deliver') return
    const name = decision === 'duplicate' ? decision : `filtered.${decision}`
    // As in `recorded`: a computed event belongs to the source of each destination.
    const sourceId = this.#sourceOf(destinationId ?? '') || event.sourceId
    this.#counts.add(sourceId, destinationId ?? '', name)
  }

  recorded({ delivery, attempts, isEnd }: DeliveryActivity): void {
    const { destinationId, state, eventId, replayId } = delivery
    const sourceId = this.#sourceOf(destinationId)
    for (const { status, outcome } of attempts) {
      this.#counts.add(sourceId, destinationId, `attempts.${statusClassOf(status)}`)
      if (outcome === 'retry') this.#counts.add(sourceId, destinationId, 'retried')
    }
    if (!isEnd) return
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

  unlinked({ sourceId, reason, ids }: UnlinkedActivity): void {
    this.#counts.add(sourceId, '', `unlinked.${reason}`, ids)
  }

  #sourceOf(destinationId: string): string {
    return this.#options.catalog.current.destinations.get(destinationId)?.sourceId ?? ''
  }

  /** The minute is over: its counts are written while those of the next one are collected. */
  #turnOver(): void {
    const next = startOf('minute', this.#options.clock.wall())
    this.#unwritten.turnOver(next, (minute) => this.#write(minute))
    this.#counts = this.#unwritten.current.counts
  }

  async #write({ start: minute, counts }: Minute): Promise<void> {
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

/** `2xx`, or `no_response`. */
function statusClassOf(status: number | undefined): string {
  return status === undefined ? 'no_response' : `${Math.floor(status / 100)}xx`
}

function isIn({ from, to, sourceId, destinationId }: CountsRange): (row: CountsRow) => boolean {
  return (row) =>
    row.start >= from &&
    row.start < to &&
    (sourceId === undefined || row.sourceId === sourceId) &&
    (destinationId === undefined || row.destinationId === destinationId)
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
