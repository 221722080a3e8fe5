import { LRUCache } from 'lru-cache'
import { hash } from 'node:crypto'

export interface Bucket {
  readonly words: BigInt64Array
  readonly index: number
}

/** A source or token with a limit. */
export interface RateLimitOwner {
  readonly id: string
  /** Per second; `null`: no limit. */
  readonly rateLimit: number | null
}

interface SharedBucketsOptions {
  readonly threads: number
  /** `Clock.now` of the creating thread. */
  readonly now: number
  /** The maximum number of shared buckets. Further ids have a bucket in each thread, with the thread's part of the limit. */
  readonly maxBuckets?: number
}

/** The words of the header: the number of threads and the origin of times. */
const HEADER_WORDS = 2
/** Keys of free slots. `EMPTY` ends a search, `RELEASED` does not. */
const EMPTY = 0n
const RELEASED = 1n

const MAX_BUCKETS = 16_384
const SLOTS_PER_BUCKET = 2
const MAX_KNOWN = 10_000

/** A full bucket. A bucket is the time at which it is empty (see `RateLimit`), so a full bucket is far in the past. */
export const FULL = -(2n ** 62n)

/**
 * Rate limit buckets in shared memory: an open-addressed table without locks. A slot is two words, the key and the bucket; the
 * key is a 64-bit hash of the id and its limit. Only the main thread assigns and releases slots (`keep`).
 */
export class SharedBuckets {
  /** Creates an empty table. Only the creating thread may call `keep`. */
  static create({ threads, now, maxBuckets = MAX_BUCKETS }: SharedBucketsOptions): SharedBuckets {
    const slots = 2 ** Math.ceil(Math.log2(maxBuckets * SLOTS_PER_BUCKET))
    const memory = new SharedArrayBuffer((HEADER_WORDS + 2 * slots) * 8)
    const header = new BigInt64Array(memory, 0, HEADER_WORDS)
    header.set([BigInt(threads), BigInt(Math.floor(now))])
    return new SharedBuckets(memory)
  }

  readonly memory: SharedArrayBuffer
  readonly threads: number
  readonly originMs: number
  readonly #words: BigInt64Array
  readonly #slots: number
  /** Caches lookups: hashing is slow. */
  readonly #known = new LRUCache<string, { readonly key: bigint; readonly bucket: Bucket }>({
    max: MAX_KNOWN,
  })
  /** Assigned slots by key, in the main thread. */
  readonly #assigned = new Map<bigint, number>()

  /** Opens the table of another thread. */
  constructor(memory: SharedArrayBuffer) {
    const header = new BigInt64Array(memory, 0, HEADER_WORDS)
    this.memory = memory
    this.threads = Number(header[0])
    this.originMs = Number(header[1])
    this.#words = new BigInt64Array(memory, HEADER_WORDS * 8)
    this.#slots = this.#words.length / 2
  }

  /**
   * Assigns a bucket to each limit, full if it is new, and releases all others. Call it in the main thread with the old and the
   * new limits before threads receive a change, and with the new ones after all have applied it. Otherwise a thread may take
   * from the bucket of another id.
   */
  keep(limits: Iterable<RateLimitOwner>): void {
    const keys = new Set<bigint>()
    for (const limit of limits) if (limit.rateLimit !== null) keys.add(keyOf(nameOf(limit)))
    for (const [key, slot] of this.#assigned) if (!keys.has(key)) this.#release(key, slot)
    const maxBuckets = this.#slots / SLOTS_PER_BUCKET
    for (const key of keys)
      if (!this.#assigned.has(key) && this.#assigned.size < maxBuckets) this.#assign(key)
  }

  /** The bucket of a limit; `undefined` if it has none, because all are assigned. */
  find(limit: RateLimitOwner): Bucket | undefined {
    const name = nameOf(limit)
    const known = this.#known.get(name)
    if (known && this.#keyAt(known.bucket.index - 1) === known.key) return known.bucket
    const key = known?.key ?? keyOf(name)
    const slot = this.#search(key)
    if (slot === undefined) return undefined
    const bucket = { words: this.#words, index: slot + 1 }
    this.#known.set(name, { key, bucket })
    return bucket
  }

  #search(key: bigint): number | undefined {
    let slot = this.#homeOf(key)
    for (let count = 0; count < this.#slots && this.#keyAt(slot) !== EMPTY; count++) {
      if (this.#keyAt(slot) === key) return slot
      slot = this.#after(slot)
    }
    return undefined
  }

  #assign(key: bigint): void {
    let slot = this.#homeOf(key)
    while (this.#keyAt(slot) !== EMPTY && this.#keyAt(slot) !== RELEASED) slot = this.#after(slot)
    this.#assigned.set(key, slot)
    // The key last, so that threads find a full bucket.
    Atomics.store(this.#words, slot + 1, FULL)
    Atomics.store(this.#words, slot, key)
  }

  #release(key: bigint, slot: number): void {
    this.#assigned.delete(key)
    Atomics.store(this.#words, slot, RELEASED)
    // Released slots before an empty one need not be searched.
    if (this.#keyAt(this.#after(slot)) !== EMPTY) return
    for (let each = slot; this.#keyAt(each) === RELEASED; each = this.#before(each)) {
      Atomics.store(this.#words, each, EMPTY)
    }
  }

  #keyAt(slot: number): bigint {
    return Atomics.load(this.#words, slot)
  }

  /** The slot at which the search for a key begins. A slot is the index of its key. */
  #homeOf(key: bigint): number {
    return 2 * Number(BigInt.asUintN(32, key) % BigInt(this.#slots))
  }

  #after(slot: number): number {
    return (slot + 2) % this.#words.length
  }

  #before(slot: number): number {
    return (slot - 2 + this.#words.length) % this.#words.length
  }
}

function nameOf({ id, rateLimit }: RateLimitOwner): string {
  return `${rateLimit} ${id}`
}

function keyOf(name: string): bigint {
  const key = hash('sha256', name, 'buffer').readBigInt64LE()
  return key === EMPTY || key === RELEASED ? 2n : key
}
