/** Who takes turns: a token, or a session and the token that opened it. */
export interface Taker {
  readonly id: string
  readonly tokenId: string
}

interface Waiting {
  readonly taker: Taker
  readonly isWanted: () => boolean
  readonly start: () => void
}

/**
 * Lets `most` run at once. The next turn is for the token with the fewest running, its sessions included, and among equals for
 * the one whose last turn is the longest ago; then the same between that token and its sessions. So only the client that
 * requests hundreds at once waits for them.
 */
export class FairTurns {
  readonly #most: number
  /** In the order of the calls. */
  readonly #waiting = new Set<Waiting>()
  readonly #byToken = new Shares()
  readonly #bySession = new Shares()
  #running = 0
  #turns = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many calls wait: of the taker, and of its token with all sessions. Forgets those that are not wanted any more. */
  waitingOf({ id, tokenId }: Taker): { readonly own: number; readonly ofToken: number } {
    this.#forgetUnwanted()
    return { own: this.#bySession.of(id).waiting, ofToken: this.#byToken.of(tokenId).waiting }
  }

  /** Calls `start` when it is the turn of the taker, who calls `end` afterwards, once. Never, if it is not wanted by then. */
  take(call: Waiting): void {
    this.#waiting.add(call)
    this.#change(call.taker, { waiting: 1 })
    this.#next()
  }

  /** Runs the work when it is its turn. Never resolves where it is not wanted any more by then. */
  async run<T>(call: Omit<Waiting, 'start'>, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => this.take({ ...call, start }))
    try {
      return await work()
    } finally {
      this.end(call.taker)
    }
  }

  /** Ends a turn of the taker. */
  end(taker: Taker): void {
    this.#running -= 1
    this.#change(taker, { running: -1 })
    this.#next()
  }

  #next(): void {
    if (this.#running >= this.#most) return
    this.#forgetUnwanted()
    const calls = [...this.#waiting]
    if (calls.length === 0) return
    const next = calls.reduce((best, each) => (this.#isBefore(each, best) ? each : best))
    this.#running += 1
    this.#turns += 1
    this.#change(next.taker, { running: 1, lastTurn: this.#turns })
    this.#remove(next)
    next.start()
  }

  #isBefore({ taker: a }: Waiting, { taker: b }: Waiting): boolean {
    const order =
      this.#byToken.compared(a.tokenId, b.tokenId) || this.#bySession.compared(a.id, b.id)
    return order < 0
  }

  #forgetUnwanted(): void {
    for (const call of this.#waiting) if (!call.isWanted()) this.#remove(call)
  }

  #remove(call: Waiting): void {
    this.#waiting.delete(call)
    this.#change(call.taker, { waiting: -1 })
  }

  #change({ id, tokenId }: Taker, change: Partial<Share>): void {
    this.#byToken.change(tokenId, change, this.#turns)
    this.#bySession.change(id, change, this.#turns)
  }
}

interface Share {
  readonly running: number
  readonly waiting: number
  /** The number of the last turn; while there was none, of the last turn before the first call. */
  readonly lastTurn: number
}

/** What each id runs and waits for, as long as it does. */
class Shares {
  readonly #shares = new Map<string, Share>()

  of(id: string): Share {
    return this.#shares.get(id) ?? { running: 0, waiting: 0, lastTurn: 0 }
  }

  /** Adds to what runs and waits. */
  change(id: string, { running = 0, waiting = 0, lastTurn }: Partial<Share>, turns: number): void {
    const before = this.#shares.get(id) ?? { running: 0, waiting: 0, lastTurn: turns }
    const after = {
      running: before.running + running,
      waiting: before.waiting + waiting,
      lastTurn: lastTurn ?? before.lastTurn,
    }
    if (after.running + after.waiting === 0) this.#shares.delete(id)
    else this.#shares.set(id, after)
  }

  /** Negative where `a` is to have the next turn before `b`. */
  compared(a: string, b: string): number {
    const [ofA, ofB] = [this.of(a), this.of(b)]
    return ofA.running - ofB.running || ofA.lastTurn - ofB.lastTurn
  }
}
