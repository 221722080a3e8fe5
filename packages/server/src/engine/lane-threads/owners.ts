import { crc32 } from 'node:zlib'

/**
 * Assigns each new destination to the thread with the fewest destinations, for the life of the process. Until it is assigned, a hash of
 * its id decides, the same in all threads.
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

  of(destinationId: string): number {
    return this.#byId.get(destinationId) ?? crc32(destinationId) % this.#threads
  }

  /** Assigns new destinations to threads, and returns the assignments. */
  assign(destinationIds: Iterable<string>): readonly (readonly [id: string, thread: number])[] {
    const assignments: [string, number][] = []
    for (const id of destinationIds) {
      if (this.#byId.has(id)) continue
      const thread = this.#leastUsed()
      this.#byId.set(id, thread)
      assignments.push([id, thread])
    }
    return assignments
  }

  keep(assignments: Iterable<readonly [id: string, thread: number]>): void {
    for (const [id, thread] of assignments) this.#byId.set(id, thread)
  }

  #leastUsed(): number {
    const counts = Array.from({ length: this.#threads }, () => 0)
    for (const thread of this.#byId.values()) counts[thread]!++
    return counts.indexOf(Math.min(...counts))
  }
}
