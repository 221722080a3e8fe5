import { LRUCache } from 'lru-cache'
import { hash } from 'node:crypto'

/** Where the number of a bucket is. */
export interface Bucket {
  readonly words: BigInt64Array
  readonly index: number
}

/** An id with its limit per second. */
interface Key {
  readonly id: string
  readonly rateLimit: number | null
}

export interface SharedBucketsOptions {
  /** The threads that take from the buckets. */
  readonly threads: number
  /** `Clock.now` of the thread that makes them. */
  readonly now: number
  /** The most buckets at once. An id beyond them has a bucket in each thread, with its part of the limit. */
  readonly most?: number
}

/** Words at the beginning: the number of threads, and the origin of the times. */
const HEADER_WORDS = 2
/** The first is free, and ends a search; the second was released, and does not. */
const EMPTY = 0n
const RELEASED = 1n

const MOST_BUCKETS = 16_384
/** So many slots for each bucket keep searches short. */
const SLOTS_A_BUCKET = 2
const MOST_KNOWN = 10_000

/** The value of a bucket that nothing was taken from: it was empty so long ago that it is full. */
export const FULL = -(2n ** 62n)

/**
 * The buckets of the limits that several threads share, in one block of memory: an open-addressed table. A slot is two words,
 * the key and the bucket; the key is 64 bits of a hash of the id and its limit. Only the main thread gives and releases slots
 * (`keep`), so no id gets two buckets, and nothing is ever locked.
 */
export class SharedBuckets {
  /** Makes full buckets for no id. Only the main thread may call `keep` of what it returns. */
  static create({ threads, now, most = MOST_BUCKETS }: SharedBucketsOptions): SharedBuckets {
    const slots = 2 ** Math.ceil(Math.log2(most * SLOTS_A_BUCKET))
    const memory = new SharedArrayBuffer((HEADER_WORDS + 2 * slots) * 8)
    const header = new BigInt64Array(memory, 0, HEADER_WORDS)
    header.set([BigInt(threads), BigInt(Math.floor(now))])
    return new SharedBuckets(memory)
  }

  /** What a thread needs to use them, too. */
  readonly memory: SharedArrayBuffer
  readonly threads: number
  /** The time from which buckets count: milliseconds of `Clock.now`. */
  readonly originMs: number
  readonly #words: BigInt64Array
  readonly #slots: number
  /** Of the ids that this thread has looked up, because a hash takes longer than the rest. */
  readonly #known = new LRUCache<string, { readonly key: bigint; readonly bucket: Bucket }>({
    max: MOST_KNOWN,
  })
  /** The slots that are given, by their keys. Only the main thread has any. */
  readonly #given = new Map<bigint, number>()

  /** The buckets that another thread has made. */
  constructor(memory: SharedArrayBuffer) {
    const header = new BigInt64Array(memory, 0, HEADER_WORDS)
    this.memory = memory
    this.threads = Number(header[0])
    this.originMs = Number(header[1])
    this.#words = new BigInt64Array(memory, HEADER_WORDS * 8)
    this.#slots = this.#words.length / 2
  }

  /**
   * Gives each of these a bucket, which is full if it is new, and releases all others. Call it in the main thread, first with
   * the old limits and the new ones, before a thread knows of a change; then with the new ones, when every thread has applied
   * the change. Otherwise a thread may take from a bucket that another id has.
   */
  keep(limits: Iterable<Key>): void {
    const keys = new Set<bigint>()
    for (const limit of limits) if (limit.rateLimit !== null) keys.add(keyOf(nameOf(limit)))
    for (const [key, slot] of this.#given) if (!keys.has(key)) this.#release(key, slot)
    const most = this.#slots / SLOTS_A_BUCKET
    for (const key of keys) if (!this.#given.has(key) && this.#given.size < most) this.#give(key)
  }

  /** The bucket of an id; `undefined` where it has none because all were given. */
  find(limit: Key): Bucket | undefined {
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
    for (let count = 0; count < this.#slots; count++) {
      const found = this.#keyAt(slot)
      if (found === key) return slot
      if (found === EMPTY) return undefined
      slot = this.#after(slot)
    }
    return undefined
  }

  #give(key: bigint): void {
    let slot = this.#homeOf(key)
    while (this.#keyAt(slot) !== EMPTY && this.#keyAt(slot) !== RELEASED) slot = this.#after(slot)
    this.#given.set(key, slot)
    // The key last: a thread that finds it takes from a full bucket.
    Atomics.store(this.#words, slot + 1, FULL)
    Atomics.store(this.#words, slot, key)
  }

  #release(key: bigint, slot: number): void {
    this.#given.delete(key)
    Atomics.store(this.#words, slot, RELEASED)
    // No search goes beyond an empty slot, so the released ones before it may be empty, too.
    if (this.#keyAt(this.#after(slot)) !== EMPTY) return
    for (let each = slot; this.#keyAt(each) === RELEASED; each = this.#before(each)) {
      Atomics.store(this.#words, each, EMPTY)
    }
  }

  #keyAt(slot: number): bigint {
    return Atomics.load(this.#words, slot)
  }

  /** Slots are named by the index of their key. */
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

function nameOf({ id, rateLimit }: Key): string {
  return `${rateLimit} ${id}`
}

function keyOf(name: string): bigint {
  const key = hash('sha256', name, 'buffer').readBigInt64LE()
  return key === EMPTY || key === RELEASED ? 2n : key
}
