import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FRAME_HEADER_BYTES, HEADER_BYTES, WalFrame } from './wal-frame.ts'

/** Read at once: a log may have hundreds of megabytes. */
const PIECE_BYTES = 2 ** 20

/** Frames at the beginning that are compared to find out the size of a page. */
const COMPARED_FRAMES = 32

const PAGE_SIZES = [4096, 512, 1024, 2048, 8192, 16_384, 32_768, 65_536]

/** A write-ahead log as it is on disk, damaged or not. Frames are counted from 1, as SQLite does. */
export class WalFile implements Disposable {
  readonly bytes: number
  readonly #file: number

  /** @throws an error with the code ENOENT where it does not exist */
  constructor(path: string) {
    this.#file = openSync(path, 'r')
    this.bytes = fstatSync(this.#file).size
  }

  /** How many complete frames the file has. */
  frames(pageBytes: number): number {
    return Math.max(0, Math.floor((this.bytes - HEADER_BYTES) / (FRAME_HEADER_BYTES + pageBytes)))
  }

  header(): Buffer {
    return this.#read(0, HEADER_BYTES)
  }

  frame(number: number, pageBytes: number): WalFrame {
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    return new WalFrame(this.#read(HEADER_BYTES + (number - 1) * frameBytes, frameBytes))
  }

  /** The frames `from` to `to`. Each is valid until the next one is taken. */
  *walk(from: number, to: number, pageBytes: number): Generator<[number, WalFrame]> {
    const frameBytes = FRAME_HEADER_BYTES + pageBytes
    const perPiece = Math.ceil(PIECE_BYTES / frameBytes)
    const bytes = Buffer.allocUnsafe(Math.min(perPiece, Math.max(0, to - from + 1)) * frameBytes)
    for (let first = from; first <= to; first += perPiece) {
      const count = Math.min(perPiece, to - first + 1)
      const piece = bytes.subarray(0, count * frameBytes)
      this.#fill(piece, HEADER_BYTES + (first - 1) * frameBytes)
      for (let index = 0; index < count; index++)
        yield [
          first + index,
          new WalFrame(piece.subarray(index * frameBytes, (index + 1) * frameBytes)),
        ]
    }
  }

  /** The size of a page with which most frames have the salts. `undefined`: no frame has them. */
  findPageBytes(
    salts: { salt1: number; salt2: number },
    likely: number | undefined,
  ): number | undefined {
    let found: number | undefined
    let most = 0
    for (const pageBytes of likely === undefined ? PAGE_SIZES : [likely, ...PAGE_SIZES]) {
      const numbers = Array.from(
        { length: Math.min(COMPARED_FRAMES, this.frames(pageBytes)) },
        (_, index) => index + 1,
      )
      const count = numbers.filter((number) => {
        const { salt1, salt2 } = this.frame(number, pageBytes)
        return salt1 === salts.salt1 && salt2 === salts.salt2
      }).length
      if (count > most) [found, most] = [pageBytes, count]
    }
    return found
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  /** Zeros where the file is too short. */
  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    this.#fill(bytes, position)
    return bytes
  }

  #fill(bytes: Buffer, position: number): void {
    for (let read = 0; read < bytes.length;) {
      const more = readSync(this.#file, bytes, read, bytes.length - read, position + read)
      if (more === 0) break
      read += more
    }
  }
}
