import { LRUCache } from 'lru-cache'
import type { Msg } from '@nats-io/transport-node'
import { randomBytes } from 'node:crypto'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'

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

/** The parts of the longest message: 8 MiB as JSON, sealed. */
const MAX_PARTS = 24
/** Bytes of a part, unless NATS takes less: sealed text has one byte for each character. */
const PART_BYTES = 512 * 1024
/** Messages with missing parts that are kept. The oldest is dropped first. */
const MAX_INCOMPLETE = 16

/** Splits a text into messages that NATS takes; `undefined` where it is longer than one may be. */
export function splitIntoParts(
  text: string,
  partBytes: number = PART_BYTES,
): readonly string[] | undefined {
  const count = Math.max(1, Math.ceil(text.length / partBytes))
  if (count > MAX_PARTS) return undefined
  const id = randomBytes(8).toString('hex')
  return Array.from({ length: count }, (_, index) => {
    const part = text.slice(index * partBytes, (index + 1) * partBytes)
    return `${id} ${index} ${count}\n${part}`
  })
}

/** Puts parts together, within a bound. */
export class JoinedParts {
  readonly #incomplete = new LRUCache<string, Map<number, string>>({ max: MAX_INCOMPLETE })

  /** Returns the text when the last of its parts has come. */
  add(message: string): string | undefined {
    const [id = '', index, count] = message.slice(0, message.indexOf('\n')).split(' ')
    const part = message.slice(message.indexOf('\n') + 1)
    const most = Number(count)
    if (most === 1) return part
    if (!(most <= MAX_PARTS)) return undefined
    const parts = this.#incomplete.get(id) ?? new Map<number, string>()
    this.#incomplete.set(id, parts.set(Number(index), part))
    if (parts.size < most) return undefined
    this.#incomplete.delete(id)
    return Array.from({ length: most }, (_, each) => parts.get(each) ?? '').join('')
  }
}
