import type { Signals } from '../backend/signals.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ActivityEntry, EventActivity } from './activity.ts'

export type ActivitySignals = Pick<
  Signals,
  'publish' | 'onMessage' | 'onMissed' | 'read' | 'onRead'
>

interface Batch {
  /** The number of activities dropped before these. */
  readonly missed: number
  readonly items: readonly ActivityEntry[]
}

const WAIT_MS = 10
const BATCH_BYTES = 128 * 1024
const SECOND_MS = 1_000
/** Activities beyond this are dropped: the log has priority over the live tail. */
const MAX_BYTES_PER_SECOND = 4 * 1024 * 1024

/** Sends the activities of this node to other nodes that have readers, in batches, and receives activities from other nodes. */
export class ActivityRelay {
  readonly #clock: Clock
  readonly #signals: ActivitySignals
  #isRead = false
  #items: ActivityEntry[] = []
  #bytes = 0
  #missed = 0
  #second = 0
  #bytesInSecond = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, signals: ActivitySignals) {
    this.#clock = clock
    this.#signals = signals
    signals.onRead('activity', (isRead) => (this.#isRead = isRead))
  }

  get isRead(): boolean {
    return this.#isRead
  }

  send(shared: ActivityEntry): void {
    if (!this.#isRead) return
    const bytes = JSON.stringify(shared).length
    if (!this.#fits(bytes)) return this.#leaveOut()
    this.#items.push(shared)
    this.#bytes += bytes
    if (this.#bytes >= BATCH_BYTES) this.#flush()
    else this.#cancel ??= this.#clock.after(WAIT_MS, () => this.#flush())
  }

  remove(isRemoved: (event: EventActivity) => boolean): void {
    this.#items = this.#items.filter(({ activity, event }) => {
      const about = activity.kind === 'event' ? activity : event
      return about === undefined || !isRemoved(about)
    })
  }

  /**
   * Receives other nodes' activities until the returned function is called. `miss` is called with the number of lost activities;
   * `null` if unknown.
   */
  receive(add: (shared: ActivityEntry) => void, miss: (count: number | null) => void): () => void {
    const stops = new DisposableStack()
    stops.defer(
      this.#signals.onMessage('activity', (batch) => {
        const { missed, items } = batch as Batch
        if (missed > 0) miss(missed)
        for (const item of items) add(item)
      }),
    )
    stops.defer(this.#signals.onMissed(() => miss(null)))
    stops.use(this.#signals.read('activity'))
    return () => stops.dispose()
  }

  #fits(bytes: number): boolean {
    const second = Math.floor(this.#clock.now() / SECOND_MS)
    if (second !== this.#second) this.#bytesInSecond = 0
    this.#second = second
    this.#bytesInSecond += bytes
    return this.#bytesInSecond <= MAX_BYTES_PER_SECOND
  }

  #leaveOut(): void {
    if (this.#items.length > 0) this.#flush()
    this.#missed += 1
    this.#cancel ??= this.#clock.after(SECOND_MS, () => this.#flush())
  }

  #flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const batch: Batch = { missed: this.#missed, items: this.#items }
    this.#missed = 0
    this.#items = []
    this.#bytes = 0
    if (this.#isRead) this.#signals.publish('activity', batch)
  }
}
