/** Which part of a budget a thread takes. */
export interface BudgetPart {
  /** Of `memoryOfBudget`. */
  readonly memory: SharedArrayBuffer
  /** The number of this thread, from 0. No other living thread has it. */
  readonly thread: number
}

/** The memory of a budget that so many threads share. */
export function memoryOfBudget(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * BigInt64Array.BYTES_PER_ELEMENT)
}

/**
 * A number of bytes that several holders share, in one thread or in several. Each thread counts what its own holders have
 * taken, so that nothing has to be locked, and so that the bytes of a thread that was killed are known.
 */
export class ByteBudget {
  readonly #mostBytes: number
  readonly #counts: BigInt64Array
  readonly #thread: number

  constructor(mostBytes: number, part?: BudgetPart) {
    this.#mostBytes = mostBytes
    this.#counts = new BigInt64Array(part?.memory ?? new ArrayBuffer(8))
    this.#thread = part?.thread ?? 0
  }

  /** The bytes that are taken and not given back, in all threads. */
  get takenBytes(): number {
    let bytes = 0n
    for (let thread = 0; thread < this.#counts.length; thread++) {
      bytes += Atomics.load(this.#counts, thread)
    }
    return Number(bytes)
  }

  /** Of these, the bytes of this thread. */
  get ownBytes(): number {
    return Number(Atomics.load(this.#counts, this.#thread))
  }

  /**
   * Takes `bytes` and returns true; or takes none and returns false, where fewer are left. All threads together never take
   * more than there are. Where two threads ask at once for the last bytes, both may be refused.
   */
  take(bytes: number): boolean {
    // First taken, then compared: of two threads, at least the later one sees both.
    Atomics.add(this.#counts, this.#thread, BigInt(bytes))
    if (this.takenBytes <= this.#mostBytes) return true
    this.giveBack(bytes)
    return false
  }

  /** Gives back bytes that were taken. */
  giveBack(bytes: number): void {
    if (bytes === 0) return
    Atomics.sub(this.#counts, this.#thread, BigInt(bytes))
  }

  /** Gives back what a thread had taken. The thread has ended. */
  giveBackAllOf(thread: number): void {
    Atomics.store(this.#counts, thread, 0n)
  }
}
