import type { Attempt, Delivery, DeliveryContent } from '@hookline/protocol'
import type { DeliverySpan } from '../../telemetry/tracing.ts'
import { type ShortLivedEntry, ShortLivedMap, ShortLivedSet } from '../../util/short-lived.ts'
import type { Clock } from '../../util/time/clock.ts'

/** A delivery in memory, with its event or notice, shared by its parts in lanes. */
export interface OpenDelivery {
  /** The current state. The backend may be one record behind. */
  delivery: Delivery
  readonly event: DeliveryContent
  attempts: readonly Attempt[]
  /** Parts in lanes, claimed in the backend. A list, because they are few. */
  inLanes: readonly PartTask[]
  /** As stored; `undefined` before the first record. */
  recorded: Delivery | undefined
  records: number
  /** Whether the next record includes the delivery, with later changes. */
  isInNextRecord: boolean
  /** When it came from the log; `undefined` if it is stored. */
  freshSince: number | undefined
  /** Its entry among the fresh deliveries. */
  fresh?: ShortLivedEntry<OpenDelivery>
  /** Its span, begun with the first attempt. */
  span?: DeliverySpan | undefined
  /** Called once, when it is stored and the log need not keep it. */
  readonly onRecorded: () => void
}

export interface PartTask {
  readonly open: OpenDelivery
  readonly url: string
  /** `fresh` from the log, or claimed from the backend where it was `parked`. */
  readonly origin: 'fresh' | 'parked'
  readonly isRetry: boolean
  /** When it got a slot; absent while it waits for one. */
  startedAt?: number
  /** The number of recoveries of its lane when it began. */
  recoveries?: number
}

const NO_TASKS: readonly PartTask[] = []

export function isInLane({ inLanes }: OpenDelivery, url: string): boolean {
  return inLanes.some((task) => task.url === url)
}

export function joinLane(task: PartTask): void {
  const { open } = task
  // `concat` here and for the other lists of a delivery: a spread or `push` reserves space for 16 more elements.
  open.inLanes = open.inLanes.concat(task)
}

export function leaveLane(task: PartTask): void {
  const { open } = task
  open.inLanes = open.inLanes.length === 1 ? NO_TASKS : open.inLanes.filter((each) => each !== task)
}

/** The deliveries in memory, by id. Claimed parts join an open delivery: a second copy could overwrite it. */
export class OpenDeliveries {
  readonly #byId = new ShortLivedMap<string, OpenDelivery>()
  readonly #fresh = new ShortLivedSet<OpenDelivery>()
  #settledCount = 0

  get freshCount(): number {
    return this.#fresh.size
  }

  /**
   * The number of fresh deliveries that have since been recorded, dropped because their user was deleted, or returned
   * to the log.
   */
  get settledCount(): number {
    return this.#settledCount
  }

  /** Fresh deliveries that arrived at or before `at`. A snapshot: some may be stored while the caller iterates. */
  freshBefore(at: number): readonly OpenDelivery[] {
    const fresh = this.#fresh.values()
    const end = fresh.findIndex(({ freshSince }) => freshSince! > at)
    return end === -1 ? fresh : fresh.slice(0, end)
  }

  get oldestFreshAt(): number | undefined {
    return this.#fresh.first?.value!.freshSince
  }

  find(id: string): OpenDelivery | undefined {
    return this.#byId.get(id)
  }

  attemptsOf(id: string): ReadonlyMap<string, number> {
    const begun = new Map<string, number>()
    for (const { url, startedAt } of this.find(id)?.inLanes ?? [])
      if (startedAt !== undefined) begun.set(url, startedAt)
    return begun
  }

  /** Opens a delivery. `fresh`: when it came from the log; absent if it is already stored. */
  add(
    delivery: Delivery,
    event: DeliveryContent,
    fresh?: { readonly at: number; readonly onRecorded: () => void },
  ): OpenDelivery {
    const open: OpenDelivery = {
      delivery,
      event,
      attempts: [],
      inLanes: NO_TASKS,
      recorded: fresh ? undefined : delivery,
      records: 0,
      isInNextRecord: false,
      freshSince: fresh?.at,
      span: undefined,
      onRecorded: fresh?.onRecorded ?? ((): void => undefined),
    }
    this.#byId.add(delivery.id, open)
    if (fresh) open.fresh = this.#fresh.add(open)
    return open
  }

  /** Marks a delivery as no longer fresh. Call it when it is stored, or dropped because its user was deleted. */
  recorded(open: OpenDelivery): void {
    if (open.fresh === undefined || !this.#fresh.delete(open.fresh)) return
    this.#settledCount++
    open.freshSince = undefined
    open.onRecorded()
  }

  close(open: OpenDelivery): void {
    if (this.#byId.get(open.delivery.id) === open) this.#byId.delete(open.delivery.id)
    endSpan(open)
  }

  /** Drops all deliveries. The log redelivers fresh ones after a restart. */
  clear(): void {
    this.#settledCount += this.#fresh.size
    for (const { fresh } of this.#fresh.values()) this.#fresh.delete(fresh!)
    for (const open of this.#byId.values()) endSpan(open)
    this.#byId.clear()
  }
}

function endSpan(open: OpenDelivery): void {
  open.span?.end(open.delivery.state)
  open.span = undefined
}

/** Counts tasks: taken = ended + in lanes, unless one was lost or ended twice. */
export class TaskAccounting {
  readonly #clock: Clock
  #taken = 0
  #ended = 0
  /** When a task last ended, or when one was taken while there were none. */
  #progressAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#progressAt = clock.now()
  }

  take(): void {
    if (this.#taken === this.#ended) this.#progressAt = this.#clock.now()
    this.#taken++
  }

  end(tasks = 1): void {
    this.#ended += tasks
    this.#progressAt = this.#clock.now()
  }

  /** Time since a task last ended; 0 if there are none. */
  get stalledMs(): number {
    return this.#taken === this.#ended ? 0 : this.#clock.now() - this.#progressAt
  }

  /** Lost tasks; negative when tasks ended twice. */
  imbalance(inLanes: number): number {
    return this.#taken - this.#ended - inLanes
  }
}
