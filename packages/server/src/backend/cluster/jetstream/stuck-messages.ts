import type { Subscription } from '@nats-io/transport-node'
import type { Clock } from '../../../util/time/clock.ts'
import { RecurringWork } from '../../../util/time/recurring.ts'
import type { LogStream, StuckMessage } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'
import { lastSequenceBefore } from './partition-consumers.ts'

interface StuckMessagesOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly clock: Clock
}

const MAX_INTERVAL_MS = 5_000
const CHECKS_PER_ACK_WAIT = 3
/**
 * The number of ack-wait periods after which a message that its consumer counts as pending is considered stuck: the server
 * redelivers the message after one period, and the new receiver signals progress within the next.
 */
const COUNTED_ACK_WAITS = 2

/**
 * Recovers messages in the stream that are no longer delivered to any node. A server stores the
 * states of a stream and of its consumers at different times: after a kill, a consumer may have lost
 * a message, or redeliver it far too late. Replacing the consumer delivers everything in its
 * partition again. If the new consumer lacks a message, because a server of a cluster has lost it,
 * the message is appended again.
 */
export class StuckMessages implements AsyncDisposable {
  readonly #options: StuckMessagesOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #suspected = new Map<string, SuspectedMessage>()

  constructor(options: StuckMessagesOptions) {
    this.#options = options
    const { clock, stream } = options
    const intervalMs = Math.min(MAX_INTERVAL_MS, stream.ackWaitMs / CHECKS_PER_ACK_WAIT)
    const work = async (): Promise<number> => {
      await this.#check()
      return intervalMs
    }
    this.#running = new RecurringWork({ clock, work }).run(this.#stop.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#updateSuspected([])
  }

  async #check(): Promise<void> {
    const { link, stream } = this.#options
    try {
      if (!link.isConnected) return this.#updateSuspected([])
      this.#updateSuspected(await stream.stalled())
      for (const suspect of this.#suspected.values())
        if (suspect.isProven) await this.#recover(suspect.message)
    } catch {
      // NATS or the stream is unavailable. A later check may succeed.
    }
  }

  /**
   * Appends a message again if a server has lost it: its consumer is newer than the message and does not count it. Otherwise,
   * replaces the consumer.
   */
  #recover(message: StuckMessage): Promise<void> {
    const { stream } = this.#options
    if (!message.isCounted && message.sequence <= lastSequenceBefore(message.consumer))
      return stream.appendAgain(message)
    return stream.replaceConsumer(message.consumer)
  }

  /**
   * Watches the messages that this check has found, and no others. Messages acked or appended during a check also look stuck, but
   * only briefly.
   */
  #updateSuspected(messages: readonly StuckMessage[]): void {
    const byKey = new Map(messages.map((message) => [keyOf(message), message]))
    for (const [key, suspect] of this.#suspected) {
      if (byKey.delete(key)) continue
      suspect[Symbol.dispose]()
      this.#suspected.delete(key)
    }
    for (const [key, message] of byKey)
      this.#suspected.set(key, new SuspectedMessage(message, this.#options))
  }
}

/** A message that no node seems to receive, until a check no longer finds it or a node signals progress. */
class SuspectedMessage implements Disposable {
  readonly message: StuckMessage
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #subscriptions: readonly Subscription[]
  #since: number

  constructor(message: StuckMessage, { link, stream, clock }: StuckMessagesOptions) {
    this.message = message
    this.#clock = clock
    this.#since = clock.now()
    this.#afterMs = stream.ackWaitMs * (message.isCounted ? COUNTED_ACK_WAITS : 1)
    // An error means that this node has no permission to receive acks and progress signals.
    const callback = (error: Error | null): void => {
      this.#since = error === null ? clock.now() : Infinity
    }
    this.#subscriptions = progressSubjectsOf(message, stream.name).map((subject) =>
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

/** The subjects of acks and progress of a message. Newer servers may have the domain and the account before the stream. */
function progressSubjectsOf(
  { consumer, sequence }: StuckMessage,
  stream: string,
): readonly string[] {
  const rest = `${stream}.${consumer}.*.${sequence}.>`
  return [`$JS.ACK.${rest}`, `$JS.ACK.*.*.${rest}`]
}

function keyOf({ consumer, sequence, isCounted }: StuckMessage): string {
  return `${consumer} ${sequence} ${isCounted}`
}
