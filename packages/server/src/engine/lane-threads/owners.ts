import { crc32 } from 'node:zlib'

/**
 * Which thread has the lanes of a destination. Main gives each destination to the thread that has the fewest, once: a lane
 * is in the same thread as long as the process lives. What nobody has given to a thread, like lanes of removed destinations
 * that still have parts in the backend, belongs to one by its id. All threads have the same `Owners`.
 */
export class Owners {
  readonly #threads: number
  readonly #byId: Map<string, number>

  constructor(threads: number, known: Iterable<readonly [id: string, thread: number]> = []) {
    this.#threads = threads
    this.#byId = new Map(known)
  }

  get known(): readonly (readonly [id: string, thread: number])[] {
    return [...this.#byId]
  }

  /** The number of the thread, from 0. */
  of(destinationId: string): number {
    return this.#byId.get(destinationId) ?? crc32(destinationId) % this.#threads
  }

  /** Gives destinations to threads that have none yet. Returns those that it has given. */
  give(destinationIds: Iterable<string>): readonly (readonly [id: string, thread: number])[] {
    const given: [string, number][] = []
    for (const id of destinationIds) {
      if (this.#byId.has(id)) continue
      const thread = this.#leastUsed()
      this.#byId.set(id, thread)
      given.push([id, thread])
    }
    return given
  }

  /** Main has given these. */
  keep(given: Iterable<readonly [id: string, thread: number]>): void {
    for (const [id, thread] of given) this.#byId.set(id, thread)
  }

  #leastUsed(): number {
    const counts = Array.from({ length: this.#threads }, () => 0)
    for (const thread of this.#byId.values()) counts[thread]!++
    return counts.indexOf(Math.min(...counts))
  }
}
