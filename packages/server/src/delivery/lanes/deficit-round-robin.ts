/** A queue that takes turns. */
export interface Queue {
  /** What its next turn costs; `undefined` when it cannot take one now. */
  readonly nextCost: number | undefined
}

/**
 * Deficit round robin (Shreedhar and Varghese, 1995). In each round a queue may spend one quantum, and carries over
 * what it could not spend. While two queues always have work, what they have spent differs by less than one quantum
 * and two turns.
 */
export class DeficitRoundRobin<Q extends Queue> {
  readonly #quantum: number
  #ring: { readonly queue: Q; deficit: number }[] = []
  readonly #members = new Set<Q>()

  /** @param quantum at least the cost of the most expensive turn, so that a queue can take one in each round */
  constructor(quantum: number) {
    this.#quantum = quantum
  }

  /** Adds a queue. `next` removes it when it finds that the queue cannot take a turn. Safe to call twice. */
  add(queue: Q): void {
    if (this.#members.has(queue)) return
    this.#members.add(queue)
    this.#ring.push({ queue, deficit: this.#quantum })
  }

  /** The queue whose turn it is, the cost deducted; `undefined` when no queue can take a turn. */
  next(): Q | undefined {
    for (let head = this.#ring[0]; head !== undefined; head = this.#ring[0]) {
      const { queue, deficit } = head
      const cost = queue.nextCost
      if (cost === undefined) {
        // When it is added again, it starts with a new quantum, without credit for the time in between.
        this.#ring.shift()
        this.#members.delete(queue)
      } else if (cost > deficit) {
        head.deficit += this.#quantum
        this.#ring.push(this.#ring.shift()!)
      } else {
        head.deficit -= cost
        return queue
      }
    }
    return undefined
  }
}
