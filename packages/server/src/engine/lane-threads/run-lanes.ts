import type { JoinedBackend } from '../../backend/threads.ts'
import type { DeliveryActivity } from '../../telemetry/activity-listener.ts'
import type { Tracing } from '../../telemetry/tracing.ts'
import type { ThreadBody, ThreadContext } from '../../threads/run-thread.ts'
import { systemClock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import { type LaneGroup, openLaneGroup } from '../lane-group.ts'
import {
  deliveriesIn,
  type FreshBlock,
  type LaneMainFunctions,
  type LaneThreadData,
  type LaneThreadFunctions,
  type NumberedDelivery,
  packActivity,
  type RecordedBlock,
} from './lane-messages.ts'
import { Owners } from './owners.ts'

interface LaneContext extends ThreadContext<
  LaneThreadFunctions,
  LaneMainFunctions,
  LaneThreadData
> {
  readonly tracing?: Tracing | undefined
}

const BATCH_DELIVERIES = 100

type GroupOptions = Omit<Parameters<typeof openLaneGroup>[0], 'clock'>

/**
 * Runs the lanes of one thread, on a backend that the thread has joined.
 * @param openGroup defaults to lanes that send requests and use the system clock
 */
export function runLanes(
  { data, main, logger, metrics, activity, tracing }: LaneContext,
  backend: JoinedBackend,
  openGroup = (options: GroupOptions): LaneGroup =>
    openLaneGroup({ ...options, clock: systemClock }),
): ThreadBody<LaneThreadFunctions> {
  const owners = new Owners(data.threads, data.owners)
  // The thread's state may predate a pause or the purge of a user. Main sends all later changes, then `begin`.
  let hasBegun = false
  const reports = new Reports((block) => main.send('recorded', block))
  const group = openGroup({
    backend,
    settings: data.settings,
    owns: (id) => hasBegun && owners.of(id) === data.thread,
    activity: {
      recorded: (delivery) => reports.activity(delivery),
      updated: (update) => activity.updated(update),
    },
    inspector: {
      receive: (request) => main.call('inspect', request),
      responded: (id) => main.send('inspected', id),
    },
    metrics,
    logger,
    tracing,
    onPermanentFailure: ({ worker, failures, error }) =>
      main.send('failedPermanently', { worker, failures, message: String(error) }),
  })
  const incoming = new Incoming(group, (number) => reports.recorded(number))
  return {
    functions: {
      begin: () => {
        hasBegun = true
        group.wake()
      },
      deliver: (block) => incoming.take(block),
      wake: () => group.wake(),
      apply: ({ change, assignments }) => {
        owners.keep(assignments)
        return backend.apply(change)
      },
      states: (ids) => group.states(ids),
      attemptsOf: (deliveries) => group.attemptsOf(deliveries),
      command: (command) => group.command(command),
      status: () => group.status(),
      stopLanes: () => group.stop(),
      abort: () => group.abort(),
    },
    stop: async () => {
      await group[Symbol.asyncDispose]()
      await backend[Symbol.asyncDispose]()
      reports.flush()
      await tracing?.[Symbol.asyncDispose]()
    },
  }
}

/** Fresh deliveries from main, until the lanes take them. */
class Incoming {
  readonly #group: LaneGroup
  readonly #onRecorded: (number: number) => void
  #waiting: NumberedDelivery[] = []
  #isTaking = false

  constructor(group: LaneGroup, onRecorded: (number: number) => void) {
    this.#group = group
    this.#onRecorded = onRecorded
  }

  take(block: FreshBlock): void {
    this.#waiting.push(...deliveriesIn(block))
    if (!this.#isTaking) void this.#takeAll()
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true
    const slices = new TimeSlices(systemClock)
    while (this.#waiting.length > 0) {
      await slices.yieldIfOver()
      await this.#group.ready()
      for (const { number, delivery, event } of this.#waiting.splice(0, BATCH_DELIVERIES))
        this.#group.deliver({ delivery, event, onRecorded: () => this.#onRecorded(number) })
    }
    this.#isTaking = false
  }
}

/** Collects the records from a turn of the event loop, and reports them at its end. */
class Reports {
  readonly #send: (block: RecordedBlock) => void
  #numbers: number[] = []
  #activity: ReturnType<typeof packActivity>[] = []
  #isScheduled = false

  constructor(send: (block: RecordedBlock) => void) {
    this.#send = send
  }

  recorded(number: number): void {
    this.#numbers.push(number)
    this.#schedule()
  }

  activity(delivery: DeliveryActivity): void {
    this.#activity.push(packActivity(delivery))
    this.#schedule()
  }

  flush(): void {
    this.#isScheduled = false
    const [numbers, activity] = [this.#numbers, this.#activity]
    if (numbers.length === 0 && activity.length === 0) return
    this.#numbers = []
    this.#activity = []
    this.#send({ numbers, activity })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.flush())
  }
}
