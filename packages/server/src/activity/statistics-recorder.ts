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
import { bucketOf } from '../util/histogram.ts'
import { PairMap } from '../util/pair-map.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import { SharedRefresh } from '../util/workers/shared-refresh.ts'

export interface StatisticsRecorderOptions extends Pick<
  Backend,
  'catalog' | 'signals' | 'statistics' | 'upkeep'
> {
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly logger: Logger
}

interface Minute {
  readonly start: number
  readonly counts: MinuteCounts
  readonly isOver: boolean
}

const DAY_MS = 24 * SPANS.hour

const RETENTION_MS: Readonly<Record<Span, number>> = { minute: 7 * DAY_MS, hour: 400 * DAY_MS }

/** Counts activity, and writes the counts once a minute, before each read, and on stop. A crash loses up to a minute. */
export class StatisticsRecorder
  implements Omit<ActivityListener, 'purged' | 'updated'>, Pick<Statistics, 'read'>, AsyncDisposable
{
  readonly #options: StatisticsRecorderOptions
  /** Concurrent reads share a write. */
  readonly #writes = new SharedRefresh(() => this.#write())
  /** Past minutes that are not yet written. */
  #ended: Minute[] = []
  #minute: number
  /** Unwritten counts of the current minute. */
  #counts = new MinuteCounts()
  #cancel: () => void = () => undefined

  constructor(options: StatisticsRecorderOptions) {
    this.#options = options
    this.#minute = startOf('minute', options.clock.wall())
    options.signals.onRequest('statistics', async () => {
      await this.#writes.run()
      return {}
    })
  }

  start(): void {
    const { clock } = this.#options
    this.#cancel = clock.after(SPANS.minute - (clock.wall() % SPANS.minute), () => {
      this.#endMinute()
      void this.#writes.run()
      this.start()
    })
  }

  /**
   * Like `Statistics.read`, after all nodes have written their counts. The unwritten counts of a node that takes longer than half
   * a second are omitted.
   */
  async *read(range: CountsRange): AsyncIterable<readonly CountsRow[]> {
    const { signals, statistics } = this.#options
    await Promise.all([this.#writes.run(), signals.request('statistics', {})])
    yield* statistics.read(range)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    await this.#writes.run()
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const { sourceId, origin } of events)
      if (origin === undefined) this.#counts.add(sourceId, '', 'received')
  }

  rejected(code: IngestCodeName | 'suppressed', calls: number, sourceId = ''): void {
    this.#counts.add(sourceId, '', `rejected.${code}`, calls)
  }

  decided({ event, destinationId, decision }: DecisionActivity): void {
    if (decision === 'deliver') return
    const name = decision === 'duplicate' ? decision : `declined.${decision}`
    // As in `recorded`: a computed event counts for the source of each destination.
    const sourceId = this.#sourceOf(destinationId ?? '') || event.sourceId
    this.#counts.add(sourceId, destinationId ?? '', name)
  }

  recorded({ delivery, attempts, isEnd }: DeliveryActivity): void {
    const { destinationId, state, eventId, replayId } = delivery
    const sourceId = this.#sourceOf(destinationId)
    for (const { status, outcome } of attempts) {
      if (outcome === 'declined') continue
      this.#counts.add(sourceId, destinationId, `attempts.${statusClassOf(status)}`)
      if (outcome === 'retry') this.#counts.add(sourceId, destinationId, 'retried')
    }
    if (!isEnd) return
    const isDelivered = state === 'delivered'
    const failed = state === 'declined' ? 'declined.transform_declined' : `failed.${state}`
    this.#counts.add(sourceId, destinationId, isDelivered ? 'delivered' : failed)
    // Replays would distort the latency.
    if (!isDelivered || replayId !== undefined) return
    const latencyMs = this.#options.clock.wall() - timeOfId(eventId)
    this.#counts.add(sourceId, destinationId, `latency.${bucketOf(latencyMs)}`)
  }

  /** Counted under the id of the computation instead of a source, without a destination. */
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

  #endMinute(): void {
    this.#ended.push({ start: this.#minute, counts: this.#counts, isOver: true })
    this.#minute = startOf('minute', this.#options.clock.wall())
    this.#counts = new MinuteCounts()
  }

  async #write(): Promise<void> {
    const minutes = [...this.#ended, { start: this.#minute, counts: this.#counts, isOver: false }]
    this.#ended = []
    this.#counts = new MinuteCounts()
    for (const minute of minutes) {
      try {
        await this.#add(minute)
      } catch (error) {
        // Written later, as counts of the current minute.
        this.#counts.addAll(minute.counts)
        this.#options.logger.warn({ err: error }, 'statistics.write_failed')
      }
    }
  }

  async #add({ start, counts, isOver }: Minute): Promise<void> {
    const { statistics, clockWatch } = this.#options
    if (isOver) await this.#addPendingSample(counts)
    const rows = counts.rows()
    if (rows.length === 0) return
    await statistics.add([...rowsOf('minute', start, rows), ...rowsOf('hour', start, rows)])
    if (!isOver) return
    const reached = Math.min(start, startOf('minute', clockWatch.removalTime()))
    for (const span of ['minute', 'hour'] as const)
      await statistics.removeBefore(span, reached - RETENTION_MS[span])
  }

  /** Samples the number of pending deliveries. A gauge over time is the mean of its samples. */
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

function statusClassOf(status: number | undefined): string {
  return status === undefined ? 'no_response' : `${Math.floor(status / 100)}xx`
}

function startOf(span: Span, at: number): number {
  return Math.floor(at / SPANS[span]) * SPANS[span]
}

function rowsOf(span: Span, minute: number, rows: readonly MinuteRow[]): CountsRow[] {
  return rows.map((row) => ({ span, start: startOf(span, minute), ...row }))
}

/** Maximum number of source and destination pairs per minute. Further pairs are counted together, under empty ids. */
const MAX_KEYS = 5_000

type MinuteRow = Pick<CountsRow, 'sourceId' | 'destinationId'> & {
  readonly counts: Record<string, number>
}

class MinuteCounts {
  readonly #rows = new PairMap<MinuteRow>()

  add(sourceId: string, destinationId: string, name: string, amount = 1): void {
    if (amount === 0) return
    const { counts } = this.#row(sourceId, destinationId)
    counts[name] = (counts[name] ?? 0) + amount
  }

  addAll(others: MinuteCounts): void {
    for (const { sourceId, destinationId, counts } of others.rows())
      for (const [name, amount] of Object.entries(counts))
        this.add(sourceId, destinationId, name, amount)
  }

  rows(): readonly MinuteRow[] {
    return [...this.#rows.values()]
  }

  #row(sourceId: string, destinationId: string): MinuteRow {
    const existing = this.#rows.get(sourceId, destinationId)
    if (existing !== undefined) return existing
    const isCommon = sourceId === '' && destinationId === ''
    if (this.#rows.size >= MAX_KEYS && !isCommon) return this.#row('', '')
    const row = { sourceId, destinationId, counts: {} }
    this.#rows.set(sourceId, destinationId, row)
    return row
  }
}
