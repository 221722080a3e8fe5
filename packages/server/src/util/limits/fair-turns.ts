import { LRUCache } from 'lru-cache'

/** A client: a token, or a session with the token that opened it. */
export interface Client {
  readonly id: string
  readonly tokenId: string
}

interface Call {
  readonly client: Client
  readonly isWanted: () => boolean
  readonly start: () => void
}

const MAX_CLIENTS = 10_000

/**
 * Runs at most `limit` calls at once. The next turn goes to the token with the fewest running calls, including its
 * sessions, and among equals to the one that has waited longest since its last turn. Sessions of a token share its
 * turns in the same way. So a client waits long only for its own requests.
 */
export class FairTurns {
  readonly #limit: number
  #waiting: Call[] = []
  #running: Client[] = []
  /** Number of the last turn by session and token. New ones start with the newest turn. */
  readonly #lastTurns = new LRUCache<string, number>({ max: MAX_CLIENTS })
  #turns = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Waiting calls of the client, and of its token with all sessions. */
  waitingOf({ id, tokenId }: Client): { readonly own: number; readonly perToken: number } {
    this.#removeUnwanted()
    const perToken = this.#waiting.filter(({ client }) => client.tokenId === tokenId)
    const own = perToken.filter(({ client }) => client.id === id)
    return { own: own.length, perToken: perToken.length }
  }

  /** Calls `start` when it is the client's turn, unless `isWanted` is false by then. The caller must then call `end` once. */
  take(call: Call): void {
    for (const key of keysOf(call.client))
      if (!this.#lastTurns.has(key)) this.#lastTurns.set(key, this.#turns)
    this.#waiting.push(call)
    this.#next()
  }

  /** Runs work when its turn comes. Never resolves if `isWanted` is false by then. */
  async run<T>(call: Omit<Call, 'start'>, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => this.take({ ...call, start }))
    try {
      return await work()
    } finally {
      this.end(call.client)
    }
  }

  end({ id }: Client): void {
    const index = this.#running.findIndex((each) => each.id === id)
    this.#running = this.#running.toSpliced(index, 1)
    this.#next()
  }

  #next(): void {
    if (this.#running.length >= this.#limit) return
    this.#removeUnwanted()
    const [first, ...others] = this.#waiting
    if (first === undefined) return
    const next = others.reduce((best, each) => (this.#isBefore(each, best) ? each : best), first)
    this.#turns += 1
    for (const key of keysOf(next.client)) this.#lastTurns.set(key, this.#turns)
    this.#waiting = this.#waiting.filter((each) => each !== next)
    this.#running.push(next.client)
    next.start()
  }

  #isBefore({ client: a }: Call, { client: b }: Call): boolean {
    const running = (matches: (client: Client) => boolean) => this.#running.filter(matches).length
    const [[ownA, tokenA], [ownB, tokenB]] = [keysOf(a), keysOf(b)]
    const order =
      running(({ tokenId }) => tokenId === a.tokenId) -
        running(({ tokenId }) => tokenId === b.tokenId) ||
      this.#lastTurns.get(tokenA)! - this.#lastTurns.get(tokenB)! ||
      running(({ id }) => id === a.id) - running(({ id }) => id === b.id) ||
      this.#lastTurns.get(ownA)! - this.#lastTurns.get(ownB)!
    return order < 0
  }

  #removeUnwanted(): void {
    this.#waiting = this.#waiting.filter(({ isWanted }) => isWanted())
  }
}

function keysOf({ id, tokenId }: Client): readonly [own: string, token: string] {
  return [id, `token ${tokenId}`]
}
