import { LRUCache } from 'lru-cache'
import type { Msg } from '@nats-io/transport-node'
import { randomBytes } from 'node:crypto'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'

export interface NodeMessage {
  readonly from: string
  readonly topic: string
  readonly body: unknown
}

const HEAD_BYTES = 1024
const LABEL = 'signals'

/** Messages between nodes, sealed with the encryption key: they contain URLs with credentials, and user data. */
export class SealedChannel {
  readonly #link: NatsLink
  readonly #box: SecretBox

  constructor(link: NatsLink, box: SecretBox) {
    this.#link = link
    this.#box = box
  }

  /** Sends a message. Drops it without a connection, or if it is too long. */
  send(subject: string, message: NodeMessage, reply?: string): void {
    if (!this.#link.isConnected) return
    const partBytes = Math.min(PART_BYTES, this.#link.maxPayloadBytes - HEAD_BYTES)
    const parts = splitIntoParts(this.#box.seal(JSON.stringify(message), LABEL), partBytes) ?? []
    try {
      for (const part of parts)
        this.#link.connection.publish(subject, part, reply === undefined ? {} : { reply })
    } catch {
      // The connection is closed, because this node is stopping.
    }
  }

  /** Calls `listener` for each message on a subject until the returned function is called. */
  receive(subject: string, listener: (message: NodeMessage, raw: Msg) => void): () => void {
    const joined = new JoinedParts()
    const subscription = this.#link.connection.subscribe(subject, {
      callback: (_error, raw) => {
        const text = joined.add(raw.string())
        const message = text === undefined ? undefined : this.#opened(text)
        if (message !== undefined) listener(message, raw)
      },
    })
    return () => subscription.unsubscribe()
  }

  /** Returns `undefined` for a message that was not sent by a node. */
  #opened(text: string): NodeMessage | undefined {
    try {
      return JSON.parse(this.#box.open(text, LABEL)) as NodeMessage
    } catch (error) {
      if (error instanceof SecretBoxError || error instanceof SyntaxError) return undefined
      throw error
    }
  }
}

/** The maximum number of parts of a message: 8 MiB as JSON, sealed. */
const MAX_PARTS = 24
/** Bytes of a part, unless NATS allows less. Sealed text has one byte for each character. */
const PART_BYTES = 512 * 1024
const MAX_INCOMPLETE = 16

/** Splits a string into messages for NATS; `undefined` if it is too long. */
export function splitIntoParts(text: string, partBytes: number): readonly string[] | undefined {
  const count = Math.max(1, Math.ceil(text.length / partBytes))
  if (count > MAX_PARTS) return undefined
  const id = randomBytes(8).toString('hex')
  return Array.from({ length: count }, (_, index) => {
    const part = text.slice(index * partBytes, (index + 1) * partBytes)
    return `${id} ${index} ${count}\n${part}`
  })
}

export class JoinedParts {
  readonly #incomplete = new LRUCache<string, Map<number, string>>({ max: MAX_INCOMPLETE })

  add(message: string): string | undefined {
    const [id = '', index, count] = message.slice(0, message.indexOf('\n')).split(' ')
    const part = message.slice(message.indexOf('\n') + 1)
    const total = Number(count)
    if (total === 1) return part
    if (!(total <= MAX_PARTS)) return undefined
    const parts = this.#incomplete.get(id) ?? new Map<number, string>()
    this.#incomplete.set(id, parts.set(Number(index), part))
    if (parts.size < total) return undefined
    this.#incomplete.delete(id)
    return Array.from({ length: total }, (_, each) => parts.get(each) ?? '').join('')
  }
}
