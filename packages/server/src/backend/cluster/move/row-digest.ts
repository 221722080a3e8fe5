import { createHash } from 'node:crypto'
import type { Value } from './moved-tables.ts'

const DIGEST_BYTES = 16
const MODULUS = 2n ** BigInt(8 * DIGEST_BYTES)

/** How many rows there are, and the sum of their hashes: the same in whatever order they come. */
export interface Digest {
  readonly rows: number
  readonly digest: string
}

export class RowDigest {
  #rows = 0
  #sum = 0n

  add(values: readonly Value[]): void {
    const hash = createHash('sha256')
    hash.update(JSON.stringify(values.map((each) => (Buffer.isBuffer(each) ? each.length : each))))
    for (const each of values) if (Buffer.isBuffer(each)) hash.update(each)
    const bytes = hash.digest().subarray(0, DIGEST_BYTES)
    this.#sum = (this.#sum + BigInt(`0x${bytes.toString('hex')}`)) % MODULUS
    this.#rows++
  }

  get value(): Digest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(2 * DIGEST_BYTES, '0') }
  }
}
