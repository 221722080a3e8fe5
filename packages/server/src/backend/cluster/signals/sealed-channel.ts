import { createInbox, type Msg } from '@nats-io/transport-node'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { JoinedParts, PART_BYTES, splitIntoParts } from './signal-parts.ts'

/** A message of a node, on any subject. */
export interface Said {
  /** The node. */
  readonly from: string
  readonly topic: string
  readonly body: unknown
}

/** Room for the names in a message of NATS. */
const HEAD_BYTES = 1024
const LABEL = 'signals'

/**
 * Subjects of NATS on which nodes talk. Everything is sealed with the encryption key, because it has URLs, which may contain
 * credentials, and data of users. So only nodes can send messages.
 */
export class SealedChannel {
  readonly #link: NatsLink
  readonly #box: SecretBox

  constructor(link: NatsLink, box: SecretBox) {
    this.#link = link
    this.#box = box
  }

  /** Says it to all who hear the subject. What cannot be sent is lost. */
  say(subject: string, said: Said, reply?: string): void {
    if (!this.#link.isConnected) return
    const partBytes = Math.min(PART_BYTES, this.#link.maxPayloadBytes - HEAD_BYTES)
    const parts = splitIntoParts(this.#box.seal(JSON.stringify(said), LABEL), partBytes) ?? []
    try {
      for (const part of parts)
        this.#link.connection.publish(subject, part, reply === undefined ? {} : { reply })
    } catch {
      // The connection is closed: this node stops.
    }
  }

  /** Calls `listener` for what others say. Returns the function that ends it. */
  hear(subject: string, listener: (said: Said, message: Msg) => void): () => void {
    const joined = new JoinedParts()
    const subscription = this.#link.connection.subscribe(subject, {
      callback: (_error, message) => {
        const text = joined.add(message.string())
        const said = text === undefined ? undefined : this.#opened(text)
        if (said !== undefined) listener(said, message)
      },
    })
    return () => subscription.unsubscribe()
  }

  /** A new subject for answers. */
  newInbox(): string {
    return createInbox()
  }

  /** `undefined` for what no node of this service has said. */
  #opened(text: string): Said | undefined {
    try {
      return JSON.parse(this.#box.open(text, LABEL)) as Said
    } catch (error) {
      if (error instanceof SecretBoxError || error instanceof SyntaxError) return undefined
      throw error
    }
  }
}
