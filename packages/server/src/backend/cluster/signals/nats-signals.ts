import { createInbox } from '@nats-io/transport-node'
import { EventEmitter } from 'node:events'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Clock } from '../../../util/time/clock.ts'
import type { Nodes } from '../../nodes.ts'
import type { ReadTopic, Signals, SignalTopic } from '../../signals.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { AnnouncedReaders } from './announced-readers.ts'
import { type NodeMessage, SealedChannel } from './sealed-channel.ts'

interface NatsSignalsOptions {
  readonly link: NatsLink
  readonly prefix: string
  readonly box: SecretBox
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'id' | 'current'>
}

const RESPONSE_TIMEOUT_MS = 500
/** How long a new node counts as alive without a heartbeat. */
const NEW_MS = 5_000
/** Internal topics: a node announces which topics it reads, and that it has connected. */
const READS = 'reads'
const HELLO = 'hello'
/** Topics with separate subjects, to which only nodes with readers subscribe. */
const READ_TOPICS: ReadonlySet<string> = new Set<ReadTopic>(['activity', 'counts'])

type Respond = Parameters<Signals['onRequest']>[1]

/**
 * Signals on NATS subjects: `<prefix>.signals` for messages, `<prefix>.signals.<topic>` for messages to readers,
 * `<prefix>.requests` for requests, and an inbox for the responses to each request.
 */
export class NatsSignals implements Signals, Disposable {
  readonly #options: NatsSignalsOptions
  readonly #channel: SealedChannel
  readonly #readers: AnnouncedReaders
  readonly #messages = new EventEmitter<Record<string, [message: unknown]>>().setMaxListeners(0)
  readonly #responders = new Map<string, Respond>()
  /** Nodes that have just connected and may have no heartbeat yet. */
  readonly #newcomers = new Set<string>()
  readonly #missed = new Set<() => void>()
  readonly #stops: readonly (() => void)[]

  constructor(options: NatsSignalsOptions) {
    this.#options = options
    const { link, box, clock } = options
    const channel = new SealedChannel(link, box)
    this.#channel = channel
    const receive = (message: NodeMessage): void => this.#receive(message)
    this.#readers = new AnnouncedReaders({
      clock,
      announce: (topics) => this.#send(this.#subject, READS, topics),
      subscribe: (topic) => channel.receive(this.#subjectOf(topic), receive),
    })
    this.#stops = [
      channel.receive(this.#subject, receive),
      channel.receive(this.#requests, (message, { reply }) => this.#respond(message, reply)),
      link.onReconnected(() => this.#reconnected()),
    ]
    this.#sendHello(false)
  }

  publish(topic: SignalTopic, message: object): void {
    this.#send(this.#subjectOf(topic), topic, message)
  }

  onMessage(topic: SignalTopic, listener: (message: unknown) => void): () => void {
    this.#messages.on(topic, listener)
    return () => this.#messages.off(topic, listener)
  }

  onMissed(listener: () => void): () => void {
    this.#missed.add(listener)
    return () => this.#missed.delete(listener)
  }

  async request(topic: SignalTopic, request: object): Promise<readonly unknown[]> {
    const { clock, link } = this.#options
    const others = this.#others()
    if (others.size === 0 || !link.isConnected) return []
    const responses = new Map<string, unknown>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const inbox = createInbox()
    const unsubscribe = this.#channel.receive(inbox, ({ from, body }) => {
      responses.set(from, body)
      if (others.isSubsetOf(responses)) resolve()
    })
    const cancel = clock.after(RESPONSE_TIMEOUT_MS, resolve)
    this.#send(this.#requests, topic, request, inbox)
    await promise
    cancel()
    unsubscribe()
    return [...responses.values()]
  }

  onRequest(topic: SignalTopic, respond: Respond): () => void {
    this.#responders.set(topic, respond)
    return () => this.#responders.delete(topic)
  }

  read(topic: ReadTopic): Disposable {
    return this.#readers.read(topic)
  }

  onRead(topic: ReadTopic, listener: (isRead: boolean) => void): () => void {
    return this.#readers.onRead(topic, listener)
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop()
    this.#readers[Symbol.dispose]()
  }

  #others(): ReadonlySet<string> {
    const { id: own, current } = this.#options.nodes
    const alive = current.flatMap(({ id, isAlive }) => (isAlive && id !== own ? [id] : []))
    return new Set([...alive, ...this.#newcomers])
  }

  get #subject(): string {
    return `${this.#options.prefix}.signals`
  }

  #subjectOf(topic: string): string {
    return READ_TOPICS.has(topic) ? `${this.#subject}.${topic}` : this.#subject
  }

  get #requests(): string {
    return `${this.#options.prefix}.requests`
  }

  #send(subject: string, topic: string, body: object, reply?: string): void {
    this.#channel.send(subject, { from: this.#options.nodes.id, topic, body }, reply)
  }

  #receive({ from, topic, body }: NodeMessage): void {
    if (from === this.#options.nodes.id) return
    if (topic === READS) this.#readers.announced(from, body as readonly string[])
    else if (topic === HELLO) this.#welcome(from, body as { readonly wasAway: boolean })
    else this.#messages.emit(topic, body)
  }

  #welcome(id: string, { wasAway }: { readonly wasAway: boolean }): void {
    this.#newcomers.add(id)
    this.#options.clock.after(NEW_MS, () => this.#newcomers.delete(id))
    this.#readers.announce()
    // Messages that the other node sent while it was disconnected are lost.
    if (wasAway) this.#reportMissed()
  }

  #respond({ from, topic, body }: NodeMessage, inbox: string | undefined): void {
    if (from === this.#options.nodes.id || !inbox) return
    this.#responders
      .get(topic)?.(body)
      .then(
        (response) => this.#send(inbox, topic, response),
        // If this node does not respond, it counts as absent.
        () => undefined,
      )
  }

  #reconnected(): void {
    this.#sendHello(true)
    this.#readers.announce()
    this.#reportMissed()
  }

  #sendHello(wasAway: boolean): void {
    this.#send(this.#subject, HELLO, { wasAway })
  }

  #reportMissed(): void {
    for (const listener of this.#missed) listener()
  }
}
