import type { Attempt, Delivery, DeliveryPart, DeliveryState } from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import type { RecordedDelivery } from '../../backend/deliveries.ts'
import { sleep } from '../../util/time/sleep.ts'
import { isInLane, type OpenDeliveries, type OpenDelivery } from '../lanes/open-delivery.ts'
import { quarantineAll } from './quarantine.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** The duration of a few slices of a purge. A purged delivery is released after this delay. */
const PURGE_SLICES_MS = 20
const NO_ATTEMPTS: readonly Attempt[] = []

export interface DeliveryRecorderOptions extends DeliveryContext {
  readonly open: OpenDeliveries
  readonly onParked: (delivery: Delivery) => void
  readonly onReleased: () => void
}

interface Batch {
  readonly deliveries: OpenDelivery[]
  /** Resolves to the deliveries that it does not write: unchanged, purged, failed or aborted. */
  readonly done: Promise<UnwrittenDeliveries>
}

interface PendingRecord {
  readonly open: OpenDelivery
  readonly record: Required<RecordedDelivery>
  readonly isEnd: boolean
}

/**
 * Makes deliveries durable, in order. Results that arrive in the same tick, or during a write, are written together.
 */
export class DeliveryRecorder {
  readonly #options: DeliveryRecorderOptions
  #next: Batch | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: DeliveryRecorderOptions) {
    this.#options = options
  }

  isRecording(open: OpenDelivery): boolean {
    return open.records > 0
  }

  /** Resolves once a record made after this call is durable. */
  record(open: OpenDelivery): Promise<void> {
    const batch = (this.#next ??= this.#newBatch())
    if (!open.isInNextRecord) {
      open.isInNextRecord = true
      open.records++
      batch.deliveries.push(open)
    }
    return batch.done.then((unwritten) => unwritten.get(open))
  }

  /**
   * Ends the turn of a part without an attempt: records a fresh delivery, or releases a parked
   * part.
   */
  async release(open: OpenDelivery, url: string): Promise<void> {
    if (this.#options.deletions.isPurged(open.event)) return this.#dropPurged(open)
    // A record in progress may claim the part again, so its claim ends after the record.
    if (open.freshSince !== undefined || this.isRecording(open)) return this.record(open)
    await this.#releasePart(open, url)
    this.#closeIfIdle(open)
  }

  async quarantine(open: OpenDelivery, fault: unknown): Promise<void> {
    const { delivery } = open
    // Without the error's message, which may contain secrets.
    const kind = fault instanceof Error ? fault.name : typeof fault
    const reason = `A bug in Hookline stopped the delivery (${kind}). See the log for details.`
    const item = { id: delivery.id, reason, delivery, cause: fault }
    if (!(await quarantineAll([item], this.#options))) return
    // Its other parts in lanes then no longer exist, and end without a record.
    open.delivery = { ...delivery, state: 'quarantined', dueAt: null, webhooks: [] }
    open.recorded = open.delivery
    this.#options.open.recorded(open)
    this.#closeIfIdle(open)
  }

  #newBatch(): Batch {
    const deliveries: OpenDelivery[] = []
    const done = this.#recordNext(this.#last, deliveries)
    // The next batch runs even after an error.
    this.#last = done.catch(() => undefined)
    return { deliveries, done }
  }

  async #recordNext(
    last: Promise<unknown>,
    deliveries: OpenDelivery[],
  ): Promise<UnwrittenDeliveries> {
    await Promise.all([last, this.#options.clock.turn()])
    this.#next = undefined
    const unwritten = new UnwrittenDeliveries()
    const records: PendingRecord[] = []
    for (const open of deliveries) {
      open.isInNextRecord = false
      if (open.delivery !== open.recorded || open.attempts.length > 0) records.push(recordOf(open))
      else unwritten.add(open, this.#endClaims(open))
    }
    await this.#write(records, unwritten)
    for (const open of deliveries) {
      const done = unwritten.get(open)
      if (done === undefined) this.#ended(open)
      else
        unwritten.add(
          open,
          done.finally(() => this.#ended(open)),
        )
    }
    return unwritten
  }

  /**
   * If the backend refuses several records, writes each one separately, in case only one is faulty.
   */
  async #write(records: readonly PendingRecord[], unwritten: UnwrittenDeliveries): Promise<void> {
    try {
      const written = await retryWhileUnavailable(
        () => this.#writeOnce(records, unwritten),
        this.#options,
      )
      for (const each of written?.value ?? unwritten.missing(records)) {
        if (written === undefined) unwritten.add(each.open, Promise.resolve())
        else this.#onWritten(each)
      }
    } catch (error) {
      const remaining = unwritten.missing(records)
      if (remaining.length === 1) unwritten.add(remaining[0]!.open, Promise.reject(error))
      else for (const each of remaining) await this.#write([each], unwritten)
    }
  }

  /** Checks for purged users on each try: they may be deleted while the backend is unavailable. */
  async #writeOnce(
    records: readonly PendingRecord[],
    unwritten: UnwrittenDeliveries,
  ): Promise<readonly PendingRecord[]> {
    const { deliveries, deletions } = this.#options
    for (const { open } of unwritten.missing(records))
      if (deletions.isPurged(open.event)) unwritten.add(open, this.#dropPurged(open))
    const remaining = unwritten.missing(records)
    if (remaining.length > 0) await deliveries.record(remaining.map(({ record }) => record))
    return remaining
  }

  /** For a delivery that is stored in its current state: only releases its parts outside of lanes. */
  async #endClaims(open: OpenDelivery): Promise<void> {
    for (const { url } of open.delivery.webhooks)
      if (!isInLane(open, url)) await this.#releasePart(open, url)
  }

  async #releasePart({ delivery }: OpenDelivery, url: string): Promise<void> {
    const { id, destinationId } = delivery
    await this.#options.deliveries.release([id], { destinationId, url })
    if (delivery.webhooks.some((part) => part.url === url && part.state === 'pending'))
      this.#options.onReleased()
  }

  #onWritten({ open, record, isEnd }: PendingRecord): void {
    const { activity, metrics, onParked } = this.#options
    const { delivery, attempts, claimed } = record
    activity.recorded({ delivery, attempts, isEnd })
    open.recorded = delivery
    if (isEnd) {
      metrics.deliveriesEnded.count(delivery.state, { state: delivery.state })
      metrics.destinationCounts.ended(delivery.destinationId, delivery.state)
    }
    if (delivery.webhooks.some((part) => isParked(part, claimed))) {
      metrics.deliveriesParked.inc()
      onParked(delivery)
    }
    this.#options.open.recorded(open)
  }

  /** Closes or releases a delivery whose user was deleted, without a record. */
  async #dropPurged(open: OpenDelivery): Promise<void> {
    const { deliveries, clock, signal } = this.#options
    const wasFresh = open.freshSince !== undefined
    this.#options.open.recorded(open)
    // Released immediately, it would be claimed again and again until the purge removes it.
    if (!wasFresh) await sleep(clock, PURGE_SLICES_MS, signal)
    if (open.inLanes.length === 0) await deliveries.release([open.delivery.id])
    this.#closeIfIdle(open)
  }

  #ended(open: OpenDelivery): void {
    open.records--
    this.#closeIfIdle(open)
  }

  #closeIfIdle(open: OpenDelivery): void {
    if (open.inLanes.length === 0 && open.records === 0) this.#options.open.close(open)
  }
}

/**
 * Deliveries that a batch does not write, each with a promise that settles when its work is done.
 * Callers of `record` handle rejections.
 */
class UnwrittenDeliveries extends Map<OpenDelivery, Promise<void>> {
  add(open: OpenDelivery, done: Promise<void>): void {
    done.catch(() => undefined)
    this.set(open, done)
  }

  missing(records: readonly PendingRecord[]): readonly PendingRecord[] {
    return this.size === 0 ? records : records.filter(({ open }) => !this.has(open))
  }
}

function recordOf(open: OpenDelivery): PendingRecord {
  const { delivery, attempts } = open
  open.attempts = NO_ATTEMPTS
  const claimed = open.inLanes.map(({ url }) => url)
  const isEnd = isFinal(delivery.state) && !isFinal(open.recorded?.state)
  return { open, record: { delivery, attempts, claimed }, isEnd }
}

function isParked({ state, url }: DeliveryPart, claimed: readonly string[]): boolean {
  return state === 'held' || (state === 'pending' && !claimed.includes(url))
}

function isFinal(state: DeliveryState | undefined): boolean {
  return state !== undefined && state !== 'pending' && state !== 'held'
}
