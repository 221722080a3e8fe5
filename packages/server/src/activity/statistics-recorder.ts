import { type AcceptedEvent, timeOfId } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../backend/catalog.ts'
import type { RecordedDelivery } from '../backend/deliveries.ts'
import { type CountsRow, SPANS, type Span, type Statistics } from '../backend/statistics.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Clock } from '../util/clock.ts'
import { bucketOf } from '../util/log-buckets.ts'
import { MinuteCounts } from './minute-counts.ts'
import type { Witness, WitnessedDecision } from './witness.ts'

export interface StatisticsRecorderOptions {
  readonly statistics: Statistics
  readonly catalog: Catalog
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly logger: Logger
  /** Calls refused since the start, by code. */
  readonly refused: () => Promise<ReadonlyMap<string, number>>
}

const DAY_MS = 24 * SPANS.hour

/** How long rows are kept. */
const KEPT_MS: Readonly<Record<Span, number>> = { minute: 7 * DAY_MS, hour: 400 * DAY_MS }

/**
 * Counts what happens and writes it once a minute: a row for the minute and one for the hour, by source and
 * destination. What a crash costs is the counts of the present minute, never more.
 */
export class StatisticsRecorder implements Witness, AsyncDisposable {
  readonly #options: StatisticsRecorderOptions
  #counts = new MinuteCounts()
  #refusedBefore: ReadonlyMap<string, number> = new Map()
  #minute: number
  #cancel: () => void = () => undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: StatisticsRecorderOptions) {
    this.#options = options
    this.#minute = startOf('minute', options.clock.now())
  }

  /** Begins to write. */
  start(): void {
    const { clock } = this.#options
    const untilNext = this.#minute + SPANS.minute - clock.now()
    this.#cancel = clock.after(untilNext, () => {
      this.#turnOver()
      this.start()
    })
  }

  /** Writes what the present minute has so far. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#turnOver()
    await this.#flushing
  }

  received(events: readonly AcceptedEvent[]): void {
    for (const { sourceId } of events) this.#counts.add(sourceId, '', 'received')
  }

  decided({ event, destinationId, decision }: WitnessedDecision): void {
    if (decision === 'deliver') return
    const name = decision === 'duplicate' ? decision : `filtered.${decision}`
    this.#counts.add(event.sourceId, destinationId ?? '', name)
  }

  recorded({ delivery }: RecordedDelivery): void {
    const { destinationId, state, eventId, replayId } = delivery
    if (state === 'pending' || state === 'held') return
    const sourceId = this.#sourceOf(destinationId)
    const isDelivered = state === 'delivered'
    this.#counts.add(sourceId, destinationId, isDelivered ? 'delivered' : `failed.${state}`)
    // A replay says nothing of how fast events arrive.
    if (!isDelivered || replayId !== undefined) return
    const latencyMs = this.#options.clock.now() - timeOfId(eventId)
    this.#counts.add(sourceId, destinationId, `latency.${bucketOf(latencyMs)}`)
  }

  /** Counts name nobody. */
  purged(): void {}

  #sourceOf(destinationId: string): string {
    return this.#options.catalog.current.destinations.get(destinationId)?.sourceId ?? ''
  }

  /** The minute is over: it is written while the next one is counted. */
  #turnOver(): void {
    const [minute, counts] = [this.#minute, this.#counts]
    this.#minute = startOf('minute', this.#options.clock.now())
    this.#counts = new MinuteCounts()
    this.#flushing = this.#flushing.then(() => this.#write(minute, counts))
  }

  async #write(minute: number, counts: MinuteCounts): Promise<void> {
    const { statistics, logger } = this.#options
    try {
      await this.#addGauges(counts)
      const rows = counts.rows()
      if (rows.length === 0) return
      await statistics.add([...rowsOf('minute', minute, rows), ...rowsOf('hour', minute, rows)])
      for (const span of ['minute', 'hour'] as const) {
        await statistics.removeBefore(span, minute - KEPT_MS[span])
      }
    } catch (error) {
      logger.warn({ err: error }, 'statistics of a minute not kept')
    }
  }

  /** Counts refused calls, and a sample of what waits: the mean over samples is the gauge of a longer time. */
  async #addGauges(counts: MinuteCounts): Promise<void> {
    const refused = await this.#options.refused()
    for (const [code, count] of refused) {
      counts.add('', '', `refused.${code}`, count - (this.#refusedBefore.get(code) ?? 0))
    }
    this.#refusedBefore = refused
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
