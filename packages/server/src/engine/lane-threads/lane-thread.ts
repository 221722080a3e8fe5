import type { AcceptedEvent } from '@hookline/protocol'
import type { Transferable } from 'node:worker_threads'
import type { Backend } from '../../backend/backend.ts'
import { type LaneCommand, type LaneId, laneKey } from '../../backend/deliveries.ts'
import type { ThreadConnection } from '../../backend/threads.ts'
import type { FreshDelivery } from '../../delivery/dispatcher.ts'
import type { InProcessReceiver } from '../../delivery/network/in-process-receiver.ts'
import { retryWhileUnavailable } from '../../delivery/records/retry-while-unavailable.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { OpenedThread, ThreadOptions } from '../../threads/running-thread.ts'
import { ThreadChanges, ThreadHost } from '../../threads/thread-host.ts'
import type { Clock } from '../../util/time/clock.ts'
import { ShortLivedMap } from '../../util/short-lived.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { LaneGroupSettings } from '../lane-group.ts'
import type { SupervisionOptions } from '../supervision.ts'
import {
  freshBlockOf,
  type LaneMainFunctions,
  type LaneThreadData,
  type LaneThreadFunctions,
  type NumberedDelivery,
  type RecordedBlock,
  type LaneChange,
} from './lane-messages.ts'
import type { Owners } from './owners.ts'

export interface LaneThreadsOptions extends SupervisionOptions {
  readonly backend: Pick<Backend, 'catalog'> & {
    readonly threads: Pick<Backend['threads'], 'connect' | 'onChange' | 'reportCorruption'>
    readonly deliveries: Pick<Backend['deliveries'], 'find'>
  }
  readonly module: URL
  readonly openThread?: (thread: ThreadOptions) => OpenedThread
  readonly threads: number
  /** For all threads together. */
  readonly settings: LaneGroupSettings
  readonly inspector: InProcessReceiver
  readonly activity: ActivityListener
  readonly continuesTraces: boolean
  readonly stopTimeoutMs: number
}

export interface LaneThreadOptions extends LaneThreadsOptions {
  readonly signal: AbortSignal
  readonly functionsOfMain: LaneMainFunctions
}

/** A fresh delivery that is not stored yet, according to main. */
interface OpenDelivery extends NumberedDelivery {
  readonly onRecorded: () => void
  /** `lost`: its thread has exited, and the backend is being queried. */
  state: 'unsent' | 'sent' | 'lost'
}

/**
 * Main's side of a lane thread. Main keeps each fresh delivery until the thread reports that it is stored:
 *
 *     deliver() ─▶ open, unsent ─ end of the turn ─▶ open, sent ─ recorded ─▶ removed
 *                     ▲                                  │
 *                     └─ not in the backend ◀────────────┴─ the thread ends ─▶ looked up ─ in the backend ─▶ removed
 *
 * When a thread ends, its deliveries are looked up once all its writes are durable. Those that are not stored go to its
 * replacement: an attempt may be repeated, but nothing is lost.
 */
export class LaneThread {
  readonly host: ThreadHost<LaneThreadFunctions, LaneMainFunctions>
  readonly #options: LaneThreadOptions
  readonly #owners: Owners
  readonly #number: number
  readonly #open = new ShortLivedMap<number, OpenDelivery>()
  #unsent: OpenDelivery[] = []
  #isScheduled = false
  #last = 0
  #connection: ThreadConnection | undefined
  readonly #changes = new ThreadChanges<LaneChange>((change) =>
    this.host.channel?.call('apply', change),
  )
  /** Lanes whose parts the next thread makes due, because this one exited first. */
  readonly #toRetry = new Map<string, LaneId>()
  /** When the last record arrived, or when a delivery arrived while none was open. */
  #progressAt = 0
  readonly #onFreed: () => void

  /** @param onFreed called when the thread has fewer open deliveries */
  constructor(number: number, owners: Owners, options: LaneThreadOptions, onFreed: () => void) {
    this.#number = number
    this.#owners = owners
    this.#options = options
    this.#onFreed = onFreed
    this.host = new ThreadHost<LaneThreadFunctions, LaneMainFunctions>({
      ...options,
      name: `delivery-${number + 1}`,
      input: () => this.#connect(),
      functions: {
        ...options.functionsOfMain,
        recorded: (block) => {
          options.functionsOfMain.recorded(block)
          this.#recorded(block)
        },
      },
      onReady: (channel) => {
        this.#changes.onReady()
        channel.send('begin')
        this.#retryMissed()
        this.#flush()
      },
      onEnded: () => void this.#recover(),
    })
  }

  get open(): number {
    return this.#open.size
  }

  /** Time since a delivery was last recorded; 0 if none is open. */
  get stalledMs(): number {
    return this.#open.size === 0 ? 0 : this.#clock.now() - this.#progressAt
  }

  get #clock(): Clock {
    return this.#options.clock
  }

  deliver({ delivery, event, onRecorded }: FreshDelivery): void {
    if (this.#open.size === 0) this.#progressAt = this.#clock.now()
    const number = ++this.#last
    const accepted = event as AcceptedEvent
    const open: OpenDelivery = { number, delivery, event: accepted, onRecorded, state: 'unsent' }
    this.#open.add(number, open)
    this.#send(open)
  }

  /** Resolves when the thread has applied the change; immediately if it is not ready, because it starts with the change. */
  apply(change: LaneChange): Promise<void> {
    return this.#changes.apply(change)
  }

  /** If the thread is not ready, or exits, its replacement carries out the command. */
  async command(command: LaneCommand): Promise<void> {
    const call = this.host.channel?.call('command', command)
    const isDone = await call?.then(
      () => true,
      () => false,
    )
    // The replacement starts with closed breakers, so it only has to make parts due.
    if (isDone || command.command === 'allowNow') return
    for (const id of command.webhooks) this.#toRetry.set(laneKey(id), id)
  }

  #retryMissed(): void {
    const webhooks = [...this.#toRetry.values()]
    this.#toRetry.clear()
    if (webhooks.length > 0) void this.command({ command: 'retryNow', webhooks })
  }

  async #connect(): Promise<{ data: LaneThreadData; transfer: readonly Transferable[] }> {
    const { backend, settings, threads, continuesTraces } = this.#options
    this.#changes.onStart()
    this.#connection = await backend.threads.connect()
    const { data, transfer } = this.#connection
    const owners = this.#owners.known
    const own = { thread: this.#number, threads, owners, settings, continuesTraces }
    return { data: { backend: data, ...own }, transfer: transfer as readonly Transferable[] }
  }

  #send(open: OpenDelivery): void {
    open.state = 'unsent'
    this.#unsent.push(open)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    const { channel } = this.host
    if (channel === undefined || this.#unsent.length === 0) return
    const block = freshBlockOf(this.#unsent)
    for (const open of this.#unsent) open.state = 'sent'
    this.#unsent = []
    channel.send('deliver', block, [block.bodies.buffer])
    channel.flush()
  }

  #recorded({ numbers }: RecordedBlock): void {
    this.#progressAt = this.#clock.now()
    for (const number of numbers) this.#settle(number)
    this.#onFreed()
  }

  #settle(number: number): void {
    const open = this.#open.get(number)
    if (open === undefined) return
    this.#open.delete(number)
    open.onRecorded()
  }

  /** After the thread has ended, hands its unstored deliveries to its replacement. */
  async #recover(): Promise<void> {
    const lost = this.#open.values().filter(({ state }) => state === 'sent')
    for (const open of lost) open.state = 'lost'
    await this.#connection?.gone
    const slices = new TimeSlices(this.#clock)
    for (const open of lost) {
      await slices.yieldIfOver()
      const isStored = await this.#isStored(open)
      if (isStored === undefined) return
      if (isStored) this.#settle(open.number)
      else this.#send(open)
    }
    this.#onFreed()
  }

  /** `undefined` when the lanes stop. */
  async #isStored({ delivery }: OpenDelivery): Promise<boolean | undefined> {
    const { backend, logger } = this.#options
    const find = (): Promise<unknown> => backend.deliveries.find(delivery.id)
    try {
      const stored = await retryWhileUnavailable(find, this.#options)
      return stored && stored.value !== undefined
    } catch (error) {
      // The delivery is sent again: a second attempt is better than none.
      logger.error({ err: error }, 'delivery.failed')
      return false
    }
  }
}
