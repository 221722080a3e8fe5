import type { Clock } from '../../../util/time/clock.ts'
import { Recurring } from '../../../util/time/recurring.ts'
import { throughOf } from './consumer-name.ts'
import type { LogStream, UncountedMessage } from './log-stream.ts'
import type { NatsLink } from './nats-link.ts'

export interface ForgottenMessagesOptions {
  readonly link: NatsLink
  readonly stream: LogStream
  readonly clock: Clock
}

/** Since when a message seems to be forgotten, with nothing between two looks that tells otherwise. */
interface Suspicion extends UncountedMessage {
  readonly since: number
}

const MOST_EVERY_MS = 5_000
const LOOKS_PER_ACK_WAIT = 3

/**
 * Finds messages that the stream has, and that its consumer neither will hand out nor waits an ack for. A server that was
 * killed has them: it writes the state of the stream and that of a consumer at times of their own. They would stay for ever, so
 * another consumer takes the place of that one, which hands out once more all that is in its partition. What that one has not
 * either, because a server of a cluster has lost it and another one not, is appended again. Every node looks;
 * where two of them find the same, the second one finds that consumer gone.
 */
export class ForgottenMessages implements AsyncDisposable {
  readonly #options: ForgottenMessagesOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #suspicions: readonly Suspicion[] = []

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
  }

  async #look(): Promise<void> {
    const { link, stream } = this.#options
    try {
      if (!link.isConnected) return
      const found = await stream.uncounted()
      this.#suspicions = found.map((message) => this.#suspicionOf(message))
      for (const suspicion of this.#suspicions)
        if (this.#isProven(suspicion)) await this.#bring(suspicion)
    } catch {
      // NATS or the stream is away: a later look tells.
    }
  }

  /** A consumer that was made after the message, and does not have it either, is on a server that has lost it. */
  #bring(message: UncountedMessage): Promise<void> {
    const { stream } = this.#options
    if (message.sequence <= throughOf(message.consumer)) return stream.appendAgain(message)
    return stream.replaceConsumer(message.consumer)
  }

  #suspicionOf(message: UncountedMessage): Suspicion {
    const { consumer, sequence } = message
    const before = this.#suspicions.find(
      (each) => each.consumer === consumer && each.sequence === sequence,
    )
    return before ?? { ...message, since: this.#options.clock.now() }
  }

  /** What was acked or appended while a look was taken seems to be forgotten, too: but not so long. */
  #isProven({ since }: Suspicion): boolean {
    return this.#options.clock.now() - since >= this.#options.stream.ackWaitMs
  }
}
