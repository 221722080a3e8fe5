import { closeSync, fstatSync, readSync } from 'node:fs'
import { openIfThere } from '../file-format/open-if-there.ts'

const DATABASE_HEADER_BYTES = 100

/** The pages of a database file, without its write-ahead log. The file may be missing or empty. */
export class DatabasePages implements Disposable {
  readonly #file: number | undefined
  readonly #bytes: number

  constructor(path: string) {
    this.#file = openIfThere(path)
    this.#bytes = this.#file === undefined ? 0 : fstatSync(this.#file).size
  }

  /** As the header of the file says. */
  get pageBytes(): number | undefined {
    const stored = this.#read(0, DATABASE_HEADER_BYTES)?.readUInt16BE(16) ?? 0
    const bytes = stored === 1 ? 65_536 : stored
    return bytes >= 512 && (bytes & (bytes - 1)) === 0 ? bytes : undefined
  }

  count(pageBytes: number): number {
    return Math.floor(this.#bytes / pageBytes)
  }

  page(number: number, pageBytes: number): Buffer | undefined {
    return this.#read((number - 1) * pageBytes, pageBytes)
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #read(position: number, length: number): Buffer | undefined {
    if (this.#file === undefined || position < 0 || position + length > this.#bytes)
      return undefined
    const bytes = Buffer.alloc(length)
    return readSync(this.#file, bytes, 0, length, position) === length ? bytes : undefined
  }
}
