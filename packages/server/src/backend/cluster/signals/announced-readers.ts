import { EventEmitter } from 'node:events'
import type { Clock } from '../../../util/time/clock.ts'

interface AnnouncedReadersOptions {
  readonly clock: Clock
  /** Sends the topics that this node reads to the other nodes. */
  readonly announce: (topics: readonly string[]) => void
  /** Receives the messages on a topic, until the returned function is called. */
  readonly subscribe: (topic: string) => () => void
}

const ANNOUNCE_INTERVAL_MS = 5_000
/** How long an announcement is valid: a dead node reads nothing. */
const VALID_MS = 15_000

interface OwnTopic {
  readers: number
  readonly unsubscribe: () => void
}

/** Tracks which nodes read which topics, by announcements every 5 s and when a node starts or stops reading. */
export class AnnouncedReaders implements Disposable {
  readonly #options: AnnouncedReadersOptions
  readonly #own = new Map<string, OwnTopic>()
  /** The announcements from other nodes. */
  readonly #others = new Map<
    string,
    { readonly topics: readonly string[]; readonly until: number }
  >()
  readonly #changes = new EventEmitter<Record<string, [isRead: boolean]>>()
  #read: ReadonlySet<string> = new Set()
  #cancelAnnouncing = (): void => undefined
  #cancelExpiry = (): void => undefined

  constructor(options: AnnouncedReadersOptions) {
    this.#options = options
  }

  /** Whether another node reads the topic. */
  isRead(topic: string): boolean {
    return this.#read.has(topic)
  }

  onRead(topic: string, listener: (isRead: boolean) => void): () => void {
    if (this.isRead(topic)) listener(true)
    this.#changes.on(topic, listener)
    return () => this.#changes.off(topic, listener)
  }

  /** This node reads the topic until the result is disposed of. */
  read(topic: string): Disposable {
    const own = this.#own.get(topic) ?? { readers: 0, unsubscribe: this.#options.subscribe(topic) }
    own.readers += 1
    this.#own.set(topic, own)
    this.announce()
    const reading = new DisposableStack()
    reading.defer(() => this.#end(topic, own))
    return reading
  }

  /** Announces the topics that this node reads, now and repeatedly, while there are any. */
  announce(): void {
    this.#cancelAnnouncing()
    if (this.#own.size === 0) return
    this.#options.announce([...this.#own.keys()])
    this.#cancelAnnouncing = this.#options.clock.after(ANNOUNCE_INTERVAL_MS, () => this.announce())
  }

  announced(node: string, topics: readonly string[]): void {
    const until = this.#options.clock.now() + VALID_MS
    if (topics.length === 0) this.#others.delete(node)
    else this.#others.set(node, { topics, until })
    this.#update()
  }

  [Symbol.dispose](): void {
    this.#cancelAnnouncing()
    this.#cancelExpiry()
    if (this.#own.size > 0) this.#options.announce([])
    for (const { unsubscribe } of this.#own.values()) unsubscribe()
    this.#own.clear()
  }

  #end(topic: string, own: OwnTopic): void {
    own.readers -= 1
    if (own.readers > 0 || !this.#own.delete(topic)) return
    own.unsubscribe()
    if (this.#own.size === 0) this.#options.announce([])
    this.announce()
  }

  #update(): void {
    this.#cancelExpiry()
    const now = this.#options.clock.now()
    for (const [node, { until }] of this.#others) if (until <= now) this.#others.delete(node)
    const others = [...this.#others.values()]
    const before = this.#read
    this.#read = new Set(others.flatMap(({ topics }) => topics))
    for (const topic of before.symmetricDifference(this.#read))
      this.#changes.emit(topic, this.#read.has(topic))
    if (others.length === 0) return
    const next = Math.min(...others.map(({ until }) => until))
    this.#cancelExpiry = this.#options.clock.after(next - now, () => this.#update())
  }
}
