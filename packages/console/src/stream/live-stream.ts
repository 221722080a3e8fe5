import { SERVICE_URL } from '../api/addresses.ts'
import { serviceFetch } from '../api/client.ts'
import type { LiveMessage, Topic } from './live-messages.ts'
import { SseParser } from './sse-parser.ts'

/** The service sends a heartbeat every 15 s. A connection that is silent for longer than this is dead. */
const SILENT_MS = 40_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

/**
 * - `idle`: no page needs the stream.
 * - `connecting`: the first connection is being opened.
 * - `live`: messages arrive as things happen.
 * - `reconnecting`: the connection broke. What was missed arrives when it is back.
 */
export type StreamState = 'idle' | 'connecting' | 'live' | 'reconnecting'

type Listener = (messages: readonly LiveMessage[]) => void

/**
 * The one stream of this tab. A browser opens only six connections to a service over HTTP/1.1, so every page shares this
 * one: it asks for the topics that the pages on screen need, and continues after the last id that it has received.
 */
export class LiveStream {
  readonly #listeners = new Map<Listener, Topic>()
  readonly #watchers = new Set<() => void>()
  #state: StreamState = 'idle'
  #connection: AbortController | undefined
  #topics = ''
  #lastId = ''
  #retryMs = FIRST_RETRY_MS
  #isSettling = false

  get state(): StreamState {
    return this.#state
  }

  /** Calls `listener` with messages of the topic, gaps included, until the returned function is called. */
  listen(topic: Topic, listener: Listener): () => void {
    this.#listeners.set(listener, topic)
    this.#settle()
    return () => {
      this.#listeners.delete(listener)
      this.#settle()
    }
  }

  /** Calls `watcher` whenever the state changes. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** When a page replaces another, its listeners end and begin in one turn: the connection changes once, or not at all. */
  #settle(): void {
    if (this.#isSettling) return
    this.#isSettling = true
    queueMicrotask(() => {
      this.#isSettling = false
      const topics = [...new Set(this.#listeners.values())].toSorted().join(',')
      if (topics === this.#topics) return
      this.#topics = topics
      this.#connection?.abort()
      if (topics === '') return this.#become('idle')
      this.#connection = new AbortController()
      void this.#run(this.#connection.signal)
    })
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (this.#state === 'idle') this.#become('connecting')
    while (!signal.aborted) {
      await this.#read(signal).catch(() => undefined)
      if (signal.aborted) return
      this.#become('reconnecting')
      await pause(this.#retryMs, signal)
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const silence = new Silence()
    const query = new URLSearchParams({ topics: this.#topics })
    if (this.#lastId !== '') query.set('lastEventId', this.#lastId)
    try {
      const response = await serviceFetch(`${SERVICE_URL}api/v1/live?${query}`, {
        signal: AbortSignal.any([signal, silence.signal]),
      })
      this.#become('live')
      this.#retryMs = FIRST_RETRY_MS
      const parser = new SseParser()
      const decoder = new TextDecoder()
      for await (const bytes of response.body!) {
        silence.broken()
        const messages = parser.push(decoder.decode(bytes, { stream: true }))
        if (parser.lastId !== '') this.#lastId = parser.lastId
        this.#pass(messages.map(({ name, data }) => ({ ...JSON.parse(data), kind: name })))
      }
    } finally {
      silence.end()
    }
  }

  #pass(messages: readonly LiveMessage[]): void {
    if (messages.length === 0) return
    for (const [listener, topic] of this.#listeners) {
      const wanted = messages.filter(({ kind }) => TOPICS[kind] === topic)
      if (wanted.length > 0) listener(wanted)
    }
  }

  #become(state: StreamState): void {
    if (state === this.#state) return
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }
}

const TOPICS: Readonly<Record<LiveMessage['kind'], Topic>> = {
  event: 'activity',
  decision: 'activity',
  attempt: 'activity',
  gap: 'activity',
  counts: 'counts',
  change: 'changes',
}

/** Aborts when nothing has arrived for too long: a machine that slept does not notice that its connection is gone. */
class Silence {
  readonly #controller = new AbortController()
  #timer = this.#start()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  broken(): void {
    clearTimeout(this.#timer)
    this.#timer = this.#start()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(), SILENT_MS)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
