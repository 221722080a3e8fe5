import { type CountsRow, SPANS, type Statistics } from '../backend/statistics.ts'
import { REFUSAL_REASONS } from '../telemetry/activity-listener.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { Clock } from '../util/time/clock.ts'
import { THRESHOLDS } from './conditions.ts'

/** The results of a destination's attempts. Times are the starts of minutes. */
export interface DestinationResults {
  /** Within the last hour. */
  readonly attempts: number
  readonly delivered: number
  /** Within `THRESHOLDS.recentMs`. */
  readonly recent: { readonly attempts: number; readonly delivered: number }
  /** Failed attempts in the minutes after the last one with a success. */
  readonly failuresInRow: number
  readonly lastDeliveredAt: number | null
  readonly lastFailedAt: number | null
  /** The first failure after the last success. */
  readonly failingSince: number | null
}

/** A count for the last day, with the minutes or hours of its first and last increase. */
interface DayCount {
  readonly sourceId: string
  readonly destinationId: string
  readonly name: string
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
}

interface Minute {
  readonly start: number
  attempts: number
  delivered: number
}

/** The counts of lost calls and deliveries, and of ids that were not linked. */
const COUNTED = new Set([
  ...REFUSAL_REASONS.map((reason) => `rejected.${reason}`),
  'failed.expired',
  'failed.rejected',
  'unlinked.placeholder',
  'unlinked.limit',
])

/**
 * The recent results of all destinations and the counts for the last day, from the statistics: they
 * survive a restart and include all nodes. The first refresh reads the minutes of an hour and the
 * hours of a day; later ones read only the minutes since.
 */
export class RecentResults {
  readonly #statistics: Pick<Statistics, 'read'>
  readonly #clock: Clock
  /** By destination, oldest first: the minutes of the last hour with a failure, the recent ones, and the last one with a success. */
  readonly #minutes = new Map<string, Map<number, Minute>>()
  /** By source, destination and name. */
  readonly #counts = new Map<string, CountSeries>()
  /** The start of the last minute read. */
  #readTo: number | undefined

  constructor({ statistics, clock }: { statistics: Pick<Statistics, 'read'>; clock: Clock }) {
    this.#statistics = statistics
    this.#clock = clock
  }

  async refresh(): Promise<void> {
    const now = this.#clock.wall()
    const minute = startOf(now, SPANS.minute)
    const hour = startOf(now - THRESHOLDS.noSuccessMs, SPANS.hour)
    // After a long pause, start over: most minutes are too old, and some may have been removed.
    if (this.#readTo !== undefined && minute - this.#readTo > THRESHOLDS.noSuccessMs) {
      this.#minutes.clear()
      this.#counts.clear()
      this.#readTo = undefined
    }
    if (this.#readTo === undefined) {
      // Hours before `hour`, and minutes from then on, so that no count is read twice.
      await this.#read('hour', startOf(now - THRESHOLDS.lostMs, SPANS.hour), hour)
      await this.#read('minute', hour, now + 1)
    } else {
      // Another node may write the previous minute late.
      const from = Math.min(this.#readTo, minute) - SPANS.minute
      await this.#read('minute', from, now + 1)
    }
    this.#readTo = minute
    this.#forget(now)
  }

  of(destinationId: string): DestinationResults | undefined {
    const minutes = [...(this.#minutes.get(destinationId)?.values() ?? [])]
    if (minutes.length === 0) return undefined
    const recentFrom = this.#clock.wall() - THRESHOLDS.recentMs
    const recent = minutes.filter(({ start }) => start >= recentFrom)
    const lastDeliveredAt = lastOf(minutes.filter(({ delivered }) => delivered > 0))
    const since = minutes.filter(
      ({ start, attempts, delivered }) =>
        attempts > delivered && start > (lastDeliveredAt ?? -Infinity),
    )
    return {
      ...sumOf(minutes),
      recent: sumOf(recent),
      failuresInRow: sumOf(since).attempts,
      lastDeliveredAt,
      lastFailedAt: lastOf(minutes.filter(({ attempts, delivered }) => attempts > delivered)),
      failingSince: since[0]?.start ?? null,
    }
  }

  /** The destinations with a failed attempt in the last hour. */
  failed(): string[] {
    return [...this.#minutes].flatMap(([id, minutes]) =>
      [...minutes.values()].some(({ attempts, delivered }) => attempts > delivered) ? id : [],
    )
  }

  /** The counts for the last day whose names begin with `prefix`. */
  counts(prefix: 'rejected.' | 'unlinked.'): DayCount[] {
    return this.#counted(prefix, -Infinity)
  }

  /** The counts with this name since `from`, by destination. */
  countsByDestination(
    name: 'failed.expired' | 'failed.rejected',
    from = -Infinity,
  ): Map<string, DayCount> {
    return new Map(this.#counted(name, from).map((count) => [count.destinationId, count]))
  }

  #counted(prefix: string, from: number): DayCount[] {
    return [...this.#counts.values()].flatMap(({ of, name, parts: all }) => {
      if (!name.startsWith(prefix)) return []
      const parts = new Map([...all].filter(([start]) => start >= from))
      if (parts.size === 0) return []
      const starts = [...parts.keys()]
      return {
        sourceId: of.sourceId,
        destinationId: of.destinationId,
        name: name.slice(prefix.length),
        count: [...parts.values()].reduce((sum, each) => sum + each, 0),
        firstAt: Math.min(...starts),
        lastAt: Math.max(...starts),
      }
    })
  }

  async #read(span: 'minute' | 'hour', from: number, to: number): Promise<void> {
    const slices = new TimeSlices(this.#clock)
    for await (const rows of this.#statistics.read({ span, from, to })) {
      for (const row of rows) {
        await slices.yieldIfOver()
        this.#add(row)
      }
    }
  }

  #add(row: CountsRow): void {
    const { start, sourceId, destinationId, counts } = row
    for (const [name, count] of Object.entries(counts))
      if (COUNTED.has(name)) {
        const key = `${sourceId} ${destinationId} ${name}`
        const of = { sourceId, destinationId }
        const counted = this.#counts.get(key) ?? { of, name, parts: new Map<number, number>() }
        counted.parts.set(start, count)
        this.#counts.set(key, counted)
      }
    if (row.span === 'hour' || destinationId === '') return
    const names = Object.keys(counts).filter((name) => name.startsWith('attempts.'))
    if (names.length === 0) return
    const attempts = names.reduce((sum, name) => sum + counts[name]!, 0)
    const minutes = this.#minutes.get(destinationId) ?? new Map<number, Minute>()
    minutes.set(start, { start, attempts, delivered: counts['attempts.2xx'] ?? 0 })
    this.#minutes.set(destinationId, minutes)
  }

  /** Merges the minutes that will not be read again into their hours. */
  #foldMinutes(parts: Map<number, number>, now: number): void {
    const until = startOf(now - THRESHOLDS.noSuccessMs, SPANS.hour)
    for (const [start, count] of parts) {
      const hour = startOf(start, SPANS.hour)
      if (start >= until || start === hour) continue
      parts.delete(start)
      parts.set(hour, (parts.get(hour) ?? 0) + count)
    }
  }

  /**
   * Drops counts and minutes that are too old, and minutes without failures, except recent ones and
   * the one with the last success.
   */
  #forget(now: number): void {
    for (const [id, minutes] of this.#minutes) {
      const lastDeliveredAt = lastOf([...minutes.values()].filter(({ delivered }) => delivered > 0))
      for (const { start, attempts, delivered } of minutes.values()) {
        const isOver = start < now - THRESHOLDS.noSuccessMs
        const isOld = start < now - THRESHOLDS.recentMs - SPANS.minute
        const isPlain = attempts === delivered && start !== lastDeliveredAt
        if (isOver || (isOld && isPlain)) minutes.delete(start)
      }
      if (minutes.size === 0) this.#minutes.delete(id)
    }
    for (const [key, { parts }] of this.#counts) {
      this.#foldMinutes(parts, now)
      for (const start of parts.keys()) if (start < now - THRESHOLDS.lostMs) parts.delete(start)
      if (parts.size === 0) this.#counts.delete(key)
    }
  }
}

interface CountSeries {
  readonly of: Pick<CountsRow, 'sourceId' | 'destinationId'>
  readonly name: string
  /** By the start of a minute, or of an hour that is not read again. */
  readonly parts: Map<number, number>
}

function sumOf(minutes: readonly Minute[]): { attempts: number; delivered: number } {
  return {
    attempts: minutes.reduce((sum, { attempts }) => sum + attempts, 0),
    delivered: minutes.reduce((sum, { delivered }) => sum + delivered, 0),
  }
}

function lastOf(minutes: readonly Minute[]): number | null {
  return minutes.length === 0 ? null : Math.max(...minutes.map(({ start }) => start))
}

function startOf(at: number, span: number): number {
  return Math.floor(at / span) * span
}
