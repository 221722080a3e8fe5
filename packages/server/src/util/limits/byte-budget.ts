export interface BudgetPart {
  readonly memory: SharedArrayBuffer
  /** From 0, unique among running threads. */
  readonly thread: number
}

export function allocateBudget(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * BigInt64Array.BYTES_PER_ELEMENT)
}

/**
 * A byte limit shared by threads. Each thread has its own count, so there are no locks and the bytes of a killed thread can be
 * released.
 */
export class ByteBudget {
  readonly #maxBytes: number
  readonly #counts: BigInt64Array
  readonly #thread: number

  constructor(maxBytes: number, part?: BudgetPart) {
    this.#maxBytes = maxBytes
    this.#counts = new BigInt64Array(part?.memory ?? new ArrayBuffer(8))
    this.#thread = part?.thread ?? 0
  }

  /** Bytes in use by all threads. */
  get takenBytes(): number {
    let bytes = 0n
    for (let thread = 0; thread < this.#counts.length; thread++) {
      bytes += Atomics.load(this.#counts, thread)
    }
    return Number(bytes)
  }

  get ownBytes(): number {
    return Number(Atomics.load(this.#counts, this.#thread))
  }

  /** Takes `bytes` unless the limit would be exceeded. Two threads that request the last bytes at the same time may both be refused. */
  take(bytes: number): boolean {
    // Add before comparing: of two concurrent requests, at least the later one sees both.
    Atomics.add(this.#counts, this.#thread, BigInt(bytes))
    if (this.takenBytes <= this.#maxBytes) return true
    this.release(bytes)
    return false
  }

  release(bytes: number): void {
    if (bytes === 0) return
    Atomics.sub(this.#counts, this.#thread, BigInt(bytes))
  }

  /** Releases all bytes used by a thread that has exited. */
  releaseAll(thread: number): void {
    Atomics.store(this.#counts, thread, 0n)
  }
}
