import type { Clock } from '../../../util/time/clock.ts'

interface AnnouncedReadersOptions {
  readonly clock: Clock
  /** Tells the other nodes which topics this one reads. */
  readonly announce: (topics: readonly string[]) => void
  /** Receives the messages of a topic, until the returned function is called. */
  readonly subscribe: (topic: string) => () => void
}

/** How often a node announces the topics that it reads. */
const ANNOUNCED_EVERY_MS = 5_000
/** An announcement is valid for this long: a node that has died reads nothing any more. */
const BELIEVED_MS = 15_000

/** A topic that this node reads. */
interface OwnTopic {
  readers: number
  readonly unsubscribe: () => void
}

interface Announcement {
  readonly topics: ReadonlySet<string>
  readonly until: number
}

/**
 * Which topics are read on which nodes. A node that reads announces it again and again, and once more when it ends. So a node
 * publishes nothing without readers.
 */
export class AnnouncedReaders implements Disposable {
  readonly #options: AnnouncedReadersOptions
  readonly #own = new Map<string, OwnTopic>()
  readonly #others = new Map<string, Announcement>()
  readonly #listeners = new TopicListeners<(isRead: boolean) => void>()
  #read: ReadonlySet<string> = new Set()
  #cancelAnnouncing: (() => void) | undefined
  #cancelExpiry: () => void = () => undefined

  constructor(options: AnnouncedReadersOptions) {
    this.#options = options
  }

  /** Whether another node reads the topic. */
  isRead(topic: string): boolean {
    return this.#read.has(topic)
  }

  onRead(topic: string, listener: (isRead: boolean) => void): () => void {
    if (this.isRead(topic)) listener(true)
    return this.#listeners.add(topic, listener)
  }

  /** This node reads the topic, until the result is disposed of. */
  read(topic: string): Disposable {
    const own = this.#own.get(topic) ?? { readers: 0, unsubscribe: this.#options.subscribe(topic) }
    own.readers += 1
    this.#own.set(topic, own)
    this.announce()
    let isDisposed = false
    return {
      [Symbol.dispose]: () => {
        if (isDisposed) return
        isDisposed = true
        this.#end(topic, own)
      },
    }
  }

  /** Announces the topics that this node reads, if there are any. */
  announce(): void {
    if (this.#own.size === 0) return
    this.#cancelAnnouncing?.()
    this.#options.announce([...this.#own.keys()])
    this.#cancelAnnouncing = this.#options.clock.after(ANNOUNCED_EVERY_MS, () => this.announce())
  }

  /** Another node has announced its topics. */
  announced(node: string, topics: readonly string[]): void {
    const until = this.#options.clock.now() + BELIEVED_MS
    if (topics.length === 0) this.#others.delete(node)
    else this.#others.set(node, { topics: new Set(topics), until })
    this.#look()
  }

  [Symbol.dispose](): void {
    this.#cancelAnnouncing?.()
    this.#cancelExpiry()
    if (this.#own.size > 0) this.#options.announce([])
    for (const { unsubscribe } of this.#own.values()) unsubscribe()
    this.#own.clear()
  }

  #end(topic: string, own: OwnTopic): void {
    own.readers -= 1
    if (own.readers > 0 || !this.#own.delete(topic)) return
    own.unsubscribe()
    if (this.#own.size > 0) return this.announce()
    this.#cancelAnnouncing?.()
    this.#options.announce([])
  }

  #look(): void {
    this.#cancelExpiry()
    const now = this.#options.clock.now()
    for (const [node, { until }] of this.#others) if (until <= now) this.#others.delete(node)
    const before = this.#read
    this.#read = new Set([...this.#others.values()].flatMap(({ topics }) => [...topics]))
    const changed = before.symmetricDifference(this.#read)
    for (const topic of changed)
      for (const listener of this.#listeners.of(topic)) listener(this.#read.has(topic))
    const next = Math.min(...[...this.#others.values()].map(({ until }) => until))
    if (Number.isFinite(next))
      this.#cancelExpiry = this.#options.clock.after(next - now, () => this.#look())
  }
}

/** Listeners by topic. */
export class TopicListeners<Listener> {
  readonly #byTopic = new Map<string, Set<Listener>>()

  /** Returns the function that removes it. */
  add(topic: string, listener: Listener): () => void {
    const listeners = this.of(topic)
    this.#byTopic.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  of(topic: string): Set<Listener> {
    return this.#byTopic.get(topic) ?? new Set()
  }
}
