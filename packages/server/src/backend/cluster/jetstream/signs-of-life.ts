import type { NatsConnection, Subscription } from '@nats-io/transport-node'

export interface WatchedMessage {
  readonly streamName: string
  readonly consumer: string
  readonly sequence: number
}

/** Hears what any node says of one message: that it is in process, that it is done, or that another node shall have it. */
export class SignsOfLife implements Disposable {
  readonly #subscriptions: readonly Subscription[]

  /** `onError` is called where the server does not let this node hear them. */
  constructor(
    connection: NatsConnection,
    message: WatchedMessage,
    { onSign, onError }: { readonly onSign: () => void; readonly onError: () => void },
  ) {
    const callback = (error: Error | null): void => (error === null ? onSign() : onError())
    this.#subscriptions = ackSubjectsOf(message).map((subject) =>
      connection.subscribe(subject, { callback }),
    )
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
  }
}

/** Of all deliveries of a message. Newer servers may have the domain and the account before the stream. */
function ackSubjectsOf({ streamName, consumer, sequence }: WatchedMessage): readonly string[] {
  const rest = `${streamName}.${consumer}.*.${sequence}.>`
  return [`$JS.ACK.${rest}`, `$JS.ACK.*.*.${rest}`]
}
