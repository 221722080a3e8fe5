import type { Subscription } from '@nats-io/transport-node'
import type { Clock } from '../../../util/time/clock.ts'
import { Recurring } from '../../../util/time/recurring.ts'
import type { LogStream, RestingMessage } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'
import { throughOf } from './partition-consumers.ts'

interface ForgottenMessagesOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly clock: Clock
}

const MOST_EVERY_MS = 5_000
const LOOKS_PER_ACK_WAIT = 3
/** A server hands a message out again when its time is over, and whoever gets it gives a sign before it is over again. */
const COUNTED_ACK_WAITS = 2

/**
 * Finds messages that the stream has, and that no node gets any more. A server that was killed writes the state of the
 * stream and that of a consumer at times of their own: its consumer neither will hand out such a message nor waits an ack for
 * it. Or it waits far too long: it may add the age of another message to the time after which it
 * hands one out again. Another consumer takes the place of that one, which hands out once more all that is in its partition. What
 * that one has not either, because a server of a cluster has lost it and another one not, is appended again. Every node looks;
 * where two of them find the same, the second one finds that consumer gone.
 */
export class ForgottenMessages implements AsyncDisposable {
  readonly #options: ForgottenMessagesOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #suspicions = new Map<string, Suspicion>()

  constructor(options: ForgottenMessagesOptions) {
    this.#options = options
    const { clock, stream } = options
    const everyMs = Math.min(MOST_EVERY_MS, stream.ackWaitMs / LOOKS_PER_ACK_WAIT)
    const work = async (): Promise<number> => {
      await this.#look()
      return everyMs
    }
    this.#running = new Recurring({ clock, work }).run(this.#stop.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#suspectOnly([])
  }

  async #look(): Promise<void> {
    const { link, stream } = this.#options
    try {
      if (!link.isConnected) return this.#suspectOnly([])
      this.#suspectOnly(await stream.resting())
      for (const suspicion of this.#suspicions.values())
        if (suspicion.isProven) await this.#bring(suspicion.message)
    } catch {
      // NATS or the stream is away: a later look tells.
    }
  }

  /** A consumer that was made after the message, and does not count it either, is on a server that has lost it. */
  #bring(message: RestingMessage): Promise<void> {
    const { stream } = this.#options
    if (!message.isCounted && message.sequence <= throughOf(message.consumer))
      return stream.appendAgain(message)
    return stream.replaceConsumer(message.consumer)
  }

  /** What was acked or appended while a look was taken seems to be forgotten, too: but not so long. */
  #suspectOnly(messages: readonly RestingMessage[]): void {
    const byKey = new Map(messages.map((message) => [keyOf(message), message]))
    for (const [key, suspicion] of this.#suspicions) {
      if (byKey.delete(key)) continue
      suspicion[Symbol.dispose]()
      this.#suspicions.delete(key)
    }
    for (const [key, message] of byKey)
      this.#suspicions.set(key, new Suspicion(message, this.#options))
  }
}

/** That no node gets a message. A look that does not find it, or a sign of life, proves otherwise. */
class Suspicion implements Disposable {
  readonly message: RestingMessage
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #subscriptions: readonly Subscription[]
  /** Since when there is no sign of it. */
  #since: number

  constructor(message: RestingMessage, { link, stream, clock }: ForgottenMessagesOptions) {
    this.message = message
    this.#clock = clock
    this.#since = clock.now()
    this.#afterMs = stream.ackWaitMs * (message.isCounted ? COUNTED_ACK_WAITS : 1)
    // An error: the server does not let this node receive the signs.
    const callback = (error: Error | null): void => {
      this.#since = error === null ? clock.now() : Infinity
    }
    this.#subscriptions = signsOf(message, stream.name).map((subject) =>
      link.connection.subscribe(subject, { callback }),
    )
  }

  get isProven(): boolean {
    return this.#clock.now() - this.#since >= this.#afterMs
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
  }
}

/**
 * The subjects on which nodes report that a message is in process, that it is done, or that another node shall have it, for all of
 * its deliveries. Newer servers may have the domain and the account before the stream.
 */
function signsOf({ consumer, sequence }: RestingMessage, stream: string): readonly string[] {
  const rest = `${stream}.${consumer}.*.${sequence}.>`
  return [`$JS.ACK.${rest}`, `$JS.ACK.*.*.${rest}`]
}

function keyOf({ consumer, sequence, isCounted }: RestingMessage): string {
  return `${consumer} ${sequence} ${isCounted}`
}
