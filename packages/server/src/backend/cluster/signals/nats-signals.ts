import { createInbox } from '@nats-io/transport-node'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Clock } from '../../../util/time/clock.ts'
import type { Nodes } from '../../nodes.ts'
import type { ReadTopic, Signals, SignalTopic } from '../../signals.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { AnnouncedReaders, TopicListeners } from './announced-readers.ts'
import { type Said, SealedChannel } from './sealed-channel.ts'

interface NatsSignalsOptions {
  readonly link: NatsLink
  /** Begins the name of every subject. */
  readonly prefix: string
  readonly box: SecretBox
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'id' | 'current'>
}

/** How long a question waits for the answers of nodes that are alive. */
const ANSWERED_MS = 500
/** A new node counts as alive for this long: heartbeats report it within two seconds. */
const NEW_MS = 5_000
/** Internal topics: the topics that a node reads, and that it has connected. */
const READS = 'reads'
const HELLO = 'hello'
/** Topics with separate subjects, to which only nodes with readers subscribe. */
const READ_TOPICS: ReadonlySet<string> = new Set<ReadTopic>(['activity', 'counts'])

/** The message of a node that has connected. */
interface Hello {
  /** It was disconnected for a while. */
  readonly wasAway: boolean
}

type Answer = (question: unknown) => Promise<object>

/**
 * Signals on subjects of NATS core: `<prefix>.signals` for messages, `<prefix>.signals.<topic>` for messages to readers,
 * `<prefix>.questions` for questions, and an inbox for the answers to each question.
 */
export class NatsSignals implements Signals, Disposable {
  readonly #options: NatsSignalsOptions
  readonly #channel: SealedChannel
  readonly #readers: AnnouncedReaders
  readonly #told = new TopicListeners<(message: unknown) => void>()
  readonly #answers = new TopicListeners<Answer>()
  /** Nodes that have just connected: heartbeats may not have reported them yet. */
  readonly #newcomers = new Set<string>()
  readonly #missed = new Set<() => void>()
  readonly #stops: readonly (() => void)[]

  constructor(options: NatsSignalsOptions) {
    this.#options = options
    const { link, box, clock } = options
    this.#channel = new SealedChannel(link, box)
    this.#readers = new AnnouncedReaders({
      clock,
      announce: (topics) => this.#say(this.#subject, READS, topics),
      subscribe: (topic) => this.#channel.hear(this.#subjectOf(topic), (said) => this.#hear(said)),
    })
    this.#stops = [
      this.#channel.hear(this.#subject, (said) => this.#hear(said)),
      this.#channel.hear(this.#questions, (said, { reply }) => this.#answer(said, reply)),
      link.onReconnected(() => this.#reconnected()),
    ]
    this.#sayHello({ wasAway: false })
  }

  tell(topic: SignalTopic, message: object): void {
    this.#say(this.#subjectOf(topic), topic, message)
  }

  onTold(topic: SignalTopic, listener: (message: unknown) => void): () => void {
    return this.#told.add(topic, listener)
  }

  onMissed(listener: () => void): () => void {
    this.#missed.add(listener)
    return () => this.#missed.delete(listener)
  }

  async ask(topic: SignalTopic, question: object): Promise<readonly unknown[]> {
    const { clock, link } = this.#options
    const others = this.#others()
    if (others.size === 0 || !link.isConnected) return []
    const answers = new Map<string, unknown>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const inbox = createInbox()
    const forget = this.#channel.hear(inbox, ({ from, body }) => {
      answers.set(from, body)
      if (others.isSubsetOf(answers)) resolve()
    })
    const cancel = clock.after(ANSWERED_MS, resolve)
    this.#say(this.#questions, topic, question, inbox)
    await promise
    cancel()
    forget()
    return [...answers.values()]
  }

  onAsked(topic: SignalTopic, answer: Answer): () => void {
    return this.#answers.add(topic, answer)
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

  /** The ids of the other nodes that are alive. */
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

  get #questions(): string {
    return `${this.#options.prefix}.questions`
  }

  #say(subject: string, topic: string, body: object, reply?: string): void {
    this.#channel.say(subject, { from: this.#options.nodes.id, topic, body }, reply)
  }

  #hear({ from, topic, body }: Said): void {
    if (from === this.#options.nodes.id) return
    if (topic === READS) this.#readers.announced(from, body as readonly string[])
    else if (topic === HELLO) this.#welcome(from, body as Hello)
    else for (const listener of this.#told.of(topic)) listener(body)
  }

  #welcome(id: string, { wasAway }: Hello): void {
    this.#newcomers.add(id)
    this.#options.clock.after(NEW_MS, () => this.#newcomers.delete(id))
    this.#readers.announce()
    // The messages that it has sent meanwhile are lost.
    if (wasAway) this.#reportMissed()
  }

  #answer({ from, topic, body }: Said, inbox: string | undefined): void {
    if (from === this.#options.nodes.id || !inbox) return
    for (const answer of this.#answers.of(topic))
      answer(body).then(
        (answered) => this.#say(inbox, topic, answered),
        // A node that cannot answer is left out, as one that is away.
        () => undefined,
      )
  }

  #reconnected(): void {
    this.#sayHello({ wasAway: true })
    this.#readers.announce()
    this.#reportMissed()
  }

  #sayHello(hello: Hello): void {
    this.#say(this.#subject, HELLO, hello)
  }

  #reportMissed(): void {
    for (const listener of this.#missed) listener()
  }
}
