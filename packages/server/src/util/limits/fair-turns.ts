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

interface Share {
  running: number
  waiting: number
  /** The number of the last turn; while there was none, of the last turn before the first call. */
  lastTurn: number
}

/**
 * Lets `most` run at once. Where more wait, the next turn is for the token that has the fewest of those that run, and among
 * several for the one whose last turn is the longest ago; then the same among the sessions of that token. So whoever asks for
 * hundreds at once waits for them, and nobody else does.
 */
export class FairTurns {
  readonly #most: number
  /** In the order of the calls. */
  readonly #waiting = new Set<Waiting>()
  /** By the ids of tokens and sessions, as long as one runs or waits. */
  readonly #shares = new Map<string, Share>()
  #running = 0
  #turns = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many calls with this id of a token or session wait. */
  waitingOf(id: string): number {
    return this.#shares.get(id)?.waiting ?? 0
  }

  /** Calls `start` when it is the turn of the taker, who calls `end` afterwards, once. Forgets calls that are not wanted any more. */
  take(call: Waiting): void {
    this.#waiting.add(call)
    this.#change(call.taker, (share) => (share.waiting += 1))
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
    this.#change(taker, (share) => (share.running -= 1))
    this.#next()
  }

  #next(): void {
    if (this.#running >= this.#most) return
    for (const call of this.#waiting) if (!call.isWanted()) this.#remove(call)
    const calls = [...this.#waiting]
    if (calls.length === 0) return
    const next = calls.reduce((best, each) => (this.#isBefore(each, best) ? each : best))
    this.#running += 1
    this.#turns += 1
    this.#change(next.taker, (share) => {
      share.running += 1
      share.lastTurn = this.#turns
    })
    this.#remove(next)
    next.start()
  }

  #remove(call: Waiting): void {
    this.#waiting.delete(call)
    this.#change(call.taker, (share) => (share.waiting -= 1))
  }

  #isBefore({ taker: a }: Waiting, { taker: b }: Waiting): boolean {
    const byToken = this.#compared(a.tokenId, b.tokenId)
    return byToken === 0 ? this.#compared(a.id, b.id) < 0 : byToken < 0
  }

  #compared(a: string, b: string): number {
    const [ofA, ofB] = [this.#shares.get(a)!, this.#shares.get(b)!]
    return ofA.running - ofB.running || ofA.lastTurn - ofB.lastTurn
  }

  #change({ id, tokenId }: Taker, change: (share: Share) => void): void {
    // A token has the same id twice, and one share.
    for (const key of new Set([id, tokenId])) {
      const share = this.#shares.get(key) ?? { running: 0, waiting: 0, lastTurn: this.#turns }
      change(share)
      if (share.running + share.waiting === 0) this.#shares.delete(key)
      else this.#shares.set(key, share)
    }
  }
}
