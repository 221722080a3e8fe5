import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The parts of the longest message: 8 MiB as JSON, sealed. */
const MAX_PARTS = 24
/** Bytes of a part, unless NATS takes less: sealed text has one byte for each character. */
export const PART_BYTES = 512 * 1024
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
