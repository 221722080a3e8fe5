/** Something that wants turns. */
export interface Contender {
  /** What its next turn costs, or `undefined` where it cannot take one now. */
  readonly nextCost: number | undefined
}

/**
 * Deficit round robin (Shreedhar and Varghese, 1995): each contender in turn may spend QUANTUM, and
 * carries over what it could not. Over any time in which two contenders always want turns, what they
 * get differs by less than one quantum and two turns.
 */
export class FairRing<C extends Contender> {
  readonly #quantum: number
  #ring: { readonly contender: C; deficit: number }[] = []
  readonly #members = new Set<C>()

  /** @param quantum at least the cost of the dearest turn, so that each visit allows one */
  constructor(quantum: number) {
    this.#quantum = quantum
  }

  /** Lets it take part; it stays until a visit finds that it cannot take a turn. Calling twice is safe. */
  add(contender: C): void {
    if (this.#members.has(contender)) return
    this.#members.add(contender)
    this.#ring.push({ contender, deficit: this.#quantum })
  }

  /** Whose turn it is, paid for; `undefined` where nobody can take one. */
  next(): C | undefined {
    for (let head = this.#ring[0]; head !== undefined; head = this.#ring[0]) {
      const { contender, deficit } = head
      const cost = contender.nextCost
      if (cost === undefined) {
        // Not ready: it starts anew when it is added again, with no credit for the time it was away.
        this.#ring.shift()
        this.#members.delete(contender)
      } else if (cost > deficit) {
        head.deficit += this.#quantum
        this.#ring.push(this.#ring.shift()!)
      } else {
        head.deficit -= cost
        return contender
      }
    }
    return undefined
  }
}
