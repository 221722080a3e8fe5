import type { Attempt, Carried, Delivery } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'

/** A delivery in memory, with the event or notice that it carries. Its parts in the lanes share it. */
export interface OpenDelivery {
  /** As it is now. The backend may be one record behind. */
  delivery: Delivery
  readonly event: Carried
  /** The attempts that are not recorded yet. */
  attempts: readonly Attempt[]
  /** The parts that are in lanes: a list, because they are few. In the backend they are claimed. */
  inLanes: readonly PartTask[]
  /** As the backend has it; `undefined` before the first record. */
  recorded: Delivery | undefined
  /** How many records of it are under way. */
  records: number
  /** Whether the record is one of them that is not made yet: what changes now goes into it. */
  isInNextRecord: boolean
  /** When it came from the log; absent once the backend has it. */
  freshSince: number | undefined
  /** Called once, when the backend has it: then the log need not keep it. */
  readonly onRecorded: () => void
}

/** A part of a delivery in its lane. */
export interface PartTask {
  readonly open: OpenDelivery
  readonly url: string
  /** `fresh` from the log, or claimed from the backend where it was `parked`. */
  readonly origin: 'fresh' | 'parked'
  /** Whether its webhook was attempted before. */
  readonly isRetry: boolean
  /** When its turn in a slot began; absent while it waits for one. */
  startedAt?: number
}

const NO_TASKS: readonly PartTask[] = []

/** Whether the part of this webhook is in its lane. */
export function isInLane({ inLanes }: OpenDelivery, url: string): boolean {
  return inLanes.some((task) => task.url === url)
}

/** The part is in its lane from now on. */
export function joinLane(task: PartTask): void {
  const { open } = task
  // Here, and for the other lists of a delivery: a spread or `push` would leave room for 16 more elements.
  open.inLanes = open.inLanes.concat(task)
}

/** The part is in its lane no longer. */
export function leaveLane(task: PartTask): void {
  const { open } = task
  open.inLanes = open.inLanes.length === 1 ? NO_TASKS : open.inLanes.filter((each) => each !== task)
}

/**
 * The deliveries in memory, by id. A part that is claimed while another part of the same delivery is in a lane joins that
 * one: there is never a second copy that could overwrite the first.
 */
export class OpenDeliveries {
  readonly #byId = new Map<string, OpenDelivery>()
  /** Those that the backend does not have yet, the oldest first. */
  readonly #fresh = new Set<OpenDelivery>()
  #leftFresh = 0

  /** Deliveries from the log that the backend does not have yet. */
  get freshCount(): number {
    return this.#fresh.size
  }

  /** How many deliveries were fresh, and are recorded, dropped with their user, or back in the log since. */
  get leftFresh(): number {
    return this.#leftFresh
  }

  /** The fresh deliveries that came from the log at this time or earlier, the oldest first. */
  *freshSince(at: number): Iterable<OpenDelivery> {
    for (const open of this.#fresh) {
      if (open.freshSince! > at) return
      yield open
    }
  }

  /** When the oldest of them came from the log; `undefined` when there is none. */
  get oldestFreshAt(): number | undefined {
    return this.#fresh.values().next().value?.freshSince
  }

  find(id: string): OpenDelivery | undefined {
    return this.#byId.get(id)
  }

  /** When the attempts began that are being made of a delivery, by the URL of the webhook. */
  attemptsOf(id: string): ReadonlyMap<string, number> {
    const begun = new Map<string, number>()
    for (const { url, startedAt } of this.find(id)?.inLanes ?? [])
      if (startedAt !== undefined) begun.set(url, startedAt)
    return begun
  }

  /** Opens a delivery. `fresh`: it comes from the log, at that time, and the backend does not have it. */
  add(
    delivery: Delivery,
    event: Carried,
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
      onRecorded: fresh?.onRecorded ?? ((): void => undefined),
    }
    this.#byId.set(delivery.id, open)
    if (fresh) this.#fresh.add(open)
    return open
  }

  /** The backend has the delivery, or has it no longer because its user was deleted. */
  recorded(open: OpenDelivery): void {
    if (!this.#fresh.delete(open)) return
    this.#leftFresh++
    open.freshSince = undefined
    open.onRecorded()
  }

  /** Forgets a delivery of which nothing is in a lane or being recorded. */
  close(open: OpenDelivery): void {
    if (this.#byId.get(open.delivery.id) === open) this.#byId.delete(open.delivery.id)
  }

  /** The service stops: fresh deliveries come again from the log. */
  clear(): void {
    this.#leftFresh += this.#fresh.size
    this.#fresh.clear()
    this.#byId.clear()
  }
}

/** How the dispatcher's responsibility for a task ends: its outcome is durable, or it is back in the log or the backend. */
export type TaskEnd = 'recorded' | 'released'

/**
 * Counts the dispatcher's tasks. At any time, the tasks taken equal those recorded, released and in the lanes. The lanes
 * count their own tasks, so a task that is lost or ended twice shows as an imbalance.
 */
export class TaskAccounting {
  readonly #clock: Clock
  #taken = 0
  #ended = 0
  /** When a task ended last, or came when there was none. */
  #progressAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#progressAt = clock.now()
  }

  /** The dispatcher took a task. */
  take(): void {
    if (this.#taken === this.#ended) this.#progressAt = this.#clock.now()
    this.#taken++
  }

  /** Tasks have ended. `undefined`: they failed with an error, and their outcome is unknown. */
  end(end: TaskEnd | undefined, tasks = 1): void {
    if (end !== undefined) this.#ended += tasks
    this.#progressAt = this.#clock.now()
  }

  /** How long there have been tasks and none of them ended; 0 when there are none. */
  get stillForMs(): number {
    return this.#taken === this.#ended ? 0 : this.#clock.now() - this.#progressAt
  }

  /** How many tasks were lost; negative when tasks ended twice. `inLanes`: the tasks in the lanes now. */
  imbalance(inLanes: number): number {
    return this.#taken - this.#ended - inLanes
  }
}
