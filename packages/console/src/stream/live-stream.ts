import { SseParser } from '@hookline/protocol'
import { SERVICE_URL } from '../api/addresses.ts'
import { serviceFetch } from '../api/client.ts'
import type { LiveMessage, Topic } from './live-messages.ts'

/** The service sends a heartbeat every 15 s. */
const TIMEOUT_MS = 40_000
const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 15_000

/** `idle`: the page uses no topic. */
export type StreamState = 'idle' | 'connecting' | 'live' | 'reconnecting'

type Listener = (messages: readonly LiveMessage[]) => void

/**
 * The stream of the tab, shared because browsers open only six HTTP/1.1 connections to a host. It
 * requests the topics of the current page, and resumes after the last id that it received.
 */
export class LiveStream {
  readonly #listeners = new Map<Listener, Topic>()
  readonly #watchers = new Set<() => void>()
  #state: StreamState = 'idle'
  #connection: AbortController | undefined
  #topics = ''
  #lastId = ''
  #retryMs = MIN_RETRY_MS
  #isSettling = false

  get state(): StreamState {
    return this.#state
  }

  /** Returns the function that unsubscribes. */
  listen(topic: Topic, listener: Listener): () => void {
    this.#listeners.set(listener, topic)
    this.#settle()
    return () => {
      this.#listeners.delete(listener)
      this.#settle()
    }
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Deferred, so that changing pages reconnects at most once. */
  #settle(): void {
    if (this.#isSettling) return
    this.#isSettling = true
    queueMicrotask(() => {
      this.#isSettling = false
      const topics = [...new Set(this.#listeners.values())].toSorted().join(',')
      if (topics === this.#topics) return
      this.#topics = topics
      this.#connection?.abort()
      if (topics === '') return this.#setState('idle')
      this.#connection = new AbortController()
      void this.#run(this.#connection.signal)
    })
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (this.#state === 'idle') this.#setState('connecting')
    while (!signal.aborted) {
      await this.#read(signal).catch(() => undefined)
      if (signal.aborted) return
      this.#setState('reconnecting')
      await sleep(this.#retryMs, signal)
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    // A machine that was asleep does not notice that its connection is dead.
    const timeout = new AbortController()
    let timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
    const query = new URLSearchParams({ topics: this.#topics })
    if (this.#lastId !== '') query.set('lastEventId', this.#lastId)
    try {
      const response = await serviceFetch(`${SERVICE_URL}api/v1/live?${query}`, {
        signal: AbortSignal.any([signal, timeout.signal]),
      })
      this.#setState('live')
      this.#retryMs = MIN_RETRY_MS
      const parser = new SseParser()
      const decoder = new TextDecoder()
      for await (const bytes of response.body!) {
        clearTimeout(timer)
        timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
        const messages = parser.push(decoder.decode(bytes, { stream: true }))
        if (parser.lastId !== '') this.#lastId = parser.lastId
        this.#dispatch(messages.map(({ name, data }) => ({ ...JSON.parse(data), kind: name })))
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #dispatch(messages: readonly LiveMessage[]): void {
    if (messages.length === 0) return
    for (const [listener, topic] of this.#listeners) {
      const wanted = messages.filter(({ kind }) => TOPICS[kind] === topic)
      if (wanted.length > 0) listener(wanted)
    }
  }

  #setState(state: StreamState): void {
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
  change: 'changes',
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
