/**
 * Round robin. Every turn costs one attempt, so that queues that always have work differ by one turn at most. (With equal
 * costs, the deficit round robin of spec 03 is the same.)
 */
export class Turns<Q> {
  readonly #ring = new Set<Q>()

  /** Adds a queue behind the others. One that is in the ring keeps its place. */
  add(queue: Q): void {
    this.#ring.add(queue)
  }

  /** The first queue that takes its turn, which puts it behind the others. Those that cannot take one leave the ring. */
  next(takesTurn: (queue: Q) => boolean): Q | undefined {
    for (const queue of this.#ring) {
      this.#ring.delete(queue)
      if (!takesTurn(queue)) continue
      this.#ring.add(queue)
      return queue
    }
    return undefined
  }
}
