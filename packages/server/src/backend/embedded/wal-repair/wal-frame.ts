import { addBytes, type Checksum } from './wal-checksum.ts'

/** The format is described on https://sqlite.org/walformat.html. */
export const HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24

/** A frame of a write-ahead log: the new content of one page. */
export class WalFrame {
  readonly bytes: Buffer
  readonly #view: DataView

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get page(): number {
    return this.#view.getUint32(0)
  }

  /** In the last frame of a transaction, the pages of the database after it. In other frames, 0. */
  get databasePages(): number {
    return this.#view.getUint32(4)
  }

  get salt1(): number {
    return this.#view.getUint32(8)
  }

  get salt2(): number {
    return this.#view.getUint32(12)
  }

  /** The checksum which is stored in the frame, of all that the log has up to its end. */
  get checksum(): Checksum {
    return checksumAt(this.#view, 16)
  }

  get data(): Buffer {
    return this.bytes.subarray(FRAME_HEADER_BYTES)
  }

  setNumbers(page: number, databasePages: number): void {
    this.#view.setUint32(0, page)
    this.#view.setUint32(4, databasePages)
  }

  setSalts(salt1: number, salt2: number): void {
    this.#view.setUint32(8, salt1)
    this.#view.setUint32(12, salt2)
  }

  setChecksum({ first, second }: Checksum): void {
    this.#view.setInt32(16, first)
    this.#view.setInt32(20, second)
  }

  /** The checksum of the log up to the end of this frame, computed. */
  checksumAfter(before: Checksum, isBigEndian: boolean): Checksum {
    const header = addBytes(before, this.#view, { from: 0, to: 8, isBigEndian })
    return addBytes(header, this.#view, {
      from: FRAME_HEADER_BYTES,
      to: this.bytes.length,
      isBigEndian,
    })
  }

  /** What its checksum covers: the page number, the size of the database, and the data. */
  words(isBigEndian: boolean): Int32Array {
    const words = new Int32Array((this.bytes.length - 16) / 4)
    for (let word = 0; word < words.length; word++)
      words[word] = this.#view.getInt32(offsetOf(word), !isBigEndian)
    return words
  }

  flip(word: number, bit: number, isBigEndian: boolean): void {
    const at = offsetOf(word)
    this.#view.setInt32(at, this.#view.getInt32(at, !isBigEndian) ^ (1 << bit), !isBigEndian)
  }
}

/** A stored checksum is big-endian, whatever the words are from which it is computed. */
export function checksumAt(view: DataView, at: number): Checksum {
  return { first: view.getInt32(at), second: view.getInt32(at + 4) }
}

/** The salts and the checksum lie between the words that are covered, and are not. */
function offsetOf(word: number): number {
  return word < 2 ? word * 4 : word * 4 + 16
}
