import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import type { Clock } from '../../../util/time/clock.ts'
import type { LogStream } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'

interface PartitionPullOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly clock: Clock
  readonly partition: number
  readonly onMessage: (message: Msg) => void
  /** Resolves when there is room for the messages of one more request. */
  readonly room: (signal: AbortSignal) => Promise<void>
}

/** Most messages and bytes of one request. */
const BATCH = 64
const BATCH_BYTES = 8 * 1024 * 1024
/** For how long the server keeps a request that it has no messages for. */
const EXPIRES_MS = 5_000
/** How often the server says that it has a request. One that it has not spoken of for longer is lost, with its leader. */
const HEARTBEAT_MS = 1_000
const LOST_MS = 2_500
const PAUSE_MS = 200
const NANOS_PER_MS = 1_000_000

/** Of a heartbeat. */
const IDLE = 100

/**
 * Asks for the messages of one partition, request after request. What the server says of a request that counts as lost changes
 * nothing any more, but its messages are taken. The client of NATS has the same, but drops what arrives
 * while it stops: those messages would rest until their time to be acked is over.
 */
export class PartitionPull {
  readonly #options: PartitionPullOptions
  readonly #inbox = createInbox()
  readonly #stop = new AbortController()
  readonly #subscription: Subscription
  readonly #running: Promise<void>
  readonly #forgetLink: () => void
  /** Ends the wait for the current request. */
  #done: (isRefused: boolean) => void = () => undefined
  #left = 0
  #requests = 0
  /** There was a sign of the current request. */
  #onSign = (): void => undefined

  constructor(options: PartitionPullOptions) {
    this.#options = options
    this.#subscription = options.link.connection.subscribe(`${this.#inbox}.*`, {
      callback: (_error, message) => this.#receive(message),
    })
    // The request may have got lost.
    this.#forgetLink = options.link.onReconnected(() => this.#done(false))
    this.#running = this.#run()
  }

  /** Resolves when no further message will come. Messages that are on their way come before. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#forgetLink()
    this.#done(false)
    await this.#running
    const { stream, partition } = this.#options
    try {
      await this.#subscription.drain()
      // Makes the server forget the request. A server may hand it the next message that is released, and lose sight
      // of that message until its time to be acked is over.
      await stream.consumerInfo(partition)
    } catch {
      // The connection is closed, and with it the request.
    }
  }

  async #run(): Promise<void> {
    const { link, room, stream } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      await link.connected(signal)
      await room(signal)
      if (signal.aborted) return
      const isRefused = await this.#request()
      if (!isRefused || signal.aborted) continue
      // Not waited for: without a leader, the server does not respond.
      stream.ensure().catch(() => undefined)
      await this.#pause()
    }
  }

  /** Resolves when the request has ended: to true where the server has refused or lost it. */
  #request(): Promise<boolean> {
    const { link, stream, partition } = this.#options
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const cancel = this.#watch(() => resolve(true))
    this.#done = resolve
    this.#left = BATCH
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream.name}.${stream.consumers.nameOf(partition)}`
    this.#requests++
    try {
      link.connection.publish(subject, this.#requestBody(), { reply: this.#replySubject })
    } catch {
      resolve(true)
    }
    return promise.finally(cancel)
  }

  #requestBody(): string {
    return JSON.stringify({
      batch: BATCH,
      max_bytes: Math.max(BATCH_BYTES, 2 * this.#options.link.maxPayloadBytes),
      expires: EXPIRES_MS * NANOS_PER_MS,
      idle_heartbeat: HEARTBEAT_MS * NANOS_PER_MS,
    })
  }

  get #replySubject(): string {
    return `${this.#inbox}.${this.#requests}`
  }

  /** Calls `onLost` when there is no sign of the request for LOST_MS. Returns the function that ends it. */
  #watch(onLost: () => void): () => void {
    const { clock } = this.#options
    let cancel = clock.after(LOST_MS, onLost)
    this.#onSign = () => {
      cancel()
      cancel = clock.after(LOST_MS, onLost)
    }
    return () => {
      this.#onSign = () => undefined
      cancel()
    }
  }

  #receive(message: Msg): void {
    const { code } = message.headers ?? {}
    // A message has its own subject, not that of the request.
    if (code && message.subject !== this.#replySubject) return
    this.#onSign()
    if (code === IDLE) return
    if (code) return this.#end(code, message.headers?.description ?? '')
    this.#options.onMessage(message)
    if (--this.#left === 0) this.#done(false)
  }

  /** 404 and 408: there is nothing more now. 409: full, which is no fault, or the consumer is gone or moved. */
  #end(code: number, description: string): void {
    const isFull = /max ?bytes/i.test(description)
    this.#done(code !== 404 && code !== 408 && !isFull)
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.after(PAUSE_MS, resolve)
    this.#done = () => resolve()
    return promise.finally(cancel)
  }
}
