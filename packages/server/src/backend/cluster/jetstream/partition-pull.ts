import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import type { Clock } from '../../../util/time/clock.ts'
import { sleep } from '../../../util/time/sleep.ts'
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

const BATCH = 64
const BATCH_BYTES = 8 * 1024 * 1024
const EXPIRES_MS = 5_000
/** The server's heartbeat interval, and the silence that means the request was lost with its leader. */
const HEARTBEAT_MS = 1_000
const LOST_MS = 2_500
const RETRY_MS = 200
const NANOS_PER_MS = 1_000_000

const IDLE = 100

/** Pulls the messages in one partition. Unlike the NATS client, it does not drop messages that arrive while it stops. */
export class PartitionPull {
  readonly #options: PartitionPullOptions
  readonly #inbox = createInbox()
  readonly #stop = new AbortController()
  readonly #subscription: Subscription
  readonly #running: Promise<void>
  readonly #forgetLink: () => void
  #done: (isRefused: boolean) => void = () => undefined
  #left = 0
  #requests = 0
  #onSign = (): void => undefined

  constructor(options: PartitionPullOptions) {
    this.#options = options
    this.#subscription = options.link.connection.subscribe(`${this.#inbox}.*`, {
      callback: (_error, message) => this.#receive(message),
    })
    this.#forgetLink = options.link.onReconnected(() => this.#done(false))
    this.#running = this.#run()
  }

  /** Resolves when all messages in flight have arrived and no more will. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#forgetLink()
    this.#done(false)
    await this.#running
    const { link, stream, partition } = this.#options
    try {
      await this.#subscription.drain()
      // Makes the server drop the request. Otherwise the server may deliver the next released message to that request.
      await link.manager.consumers.info(stream.name, stream.consumers.nameOf(partition))
    } catch {
      // The connection is closed, and with it the request.
    }
  }

  async #run(): Promise<void> {
    const { link, room, stream, clock } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      await link.connected(signal)
      await room(signal)
      if (signal.aborted) return
      const isRefused = await this.#request()
      if (!isRefused || signal.aborted) continue
      // Not awaited: without a leader, the server does not respond.
      stream.ensure().catch(() => undefined)
      await sleep(clock, RETRY_MS, signal)
    }
  }

  /** Resolves when the request has ended: to true if the server has refused or lost it. */
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

  /** Calls `onLost` after LOST_MS without a response, until the returned function is called. */
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
    // Only status messages have the subject of their request.
    if (code && message.subject !== this.#replySubject) return
    this.#onSign()
    if (code === IDLE) return
    if (code) return this.#end(code, message.headers?.description)
    this.#options.onMessage(message)
    if (--this.#left === 0) this.#done(false)
  }

  /** 404 and 408: no more messages now. 409: the request is full, or the consumer was deleted or moved. */
  #end(code: number, description = ''): void {
    const isFull = /max ?bytes/i.test(description)
    this.#done(code !== 404 && code !== 408 && !isFull)
  }
}
