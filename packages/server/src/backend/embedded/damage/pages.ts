import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { openIfThere } from '../file-format/open-if-there.ts'

/** Where a page is: in which file, from which byte. */
interface Place {
  readonly file: number
  readonly at: number
}

const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const DEFAULT_PAGE_BYTES = 4096

/**
 * The pages of a database file as they are on disk, those in its write-ahead log before those in the file, without SQLite:
 * it reads nothing of a file whose first page is damaged. The log is taken as valid up to its last commit.
 */
export class Pages implements Disposable {
  readonly pageBytes: number
  readonly count: number
  readonly #file: number
  readonly #wal: number | undefined
  readonly #inLog = new Map<number, Place>()

  constructor(databaseFile: string) {
    this.#file = openSync(databaseFile, 'r')
    this.#wal = openIfThere(`${databaseFile}-wal`)
    this.pageBytes = this.#findPageBytes()
    let count = Math.floor(fstatSync(this.#file).size / this.pageBytes)
    if (this.#wal !== undefined) count = Math.max(count, this.#readLog(this.#wal))
    this.count = count
  }

  /** The content of a page, numbered from 1; `undefined` where the file ends before it. */
  read(page: number): Buffer | undefined {
    if (page < 1 || page > this.count) return undefined
    const at = (page - 1) * this.pageBytes
    const place = this.#inLog.get(page) ?? { file: this.#file, at }
    const bytes = Buffer.alloc(this.pageBytes)
    return readSync(place.file, bytes, 0, bytes.length, place.at) === bytes.length
      ? bytes
      : undefined
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    if (this.#wal !== undefined) closeSync(this.#wal)
  }

  #findPageBytes(): number {
    const fromFile = bytesAt(this.#file, 16, 2).readUInt16BE(0)
    const fromLog = this.#wal === undefined ? 0 : bytesAt(this.#wal, 8, 4).readUInt32BE(0)
    const isSize = (bytes: number): boolean =>
      bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
    return [fromFile === 1 ? 65_536 : fromFile, fromLog].find(isSize) ?? DEFAULT_PAGE_BYTES
  }

  /** Finds the newest version of each page. Returns the size of the database in pages after the last commit. */
  #readLog(wal: number): number {
    const header = bytesAt(wal, 0, WAL_HEADER_BYTES)
    const frameBytes = FRAME_HEADER_BYTES + this.pageBytes
    let uncommitted: [page: number, place: Place][] = []
    let pages = 0
    const end = fstatSync(wal).size - frameBytes
    for (let at = WAL_HEADER_BYTES; at <= end; at += frameBytes) {
      const frame = bytesAt(wal, at, FRAME_HEADER_BYTES)
      // The salts of the header: frames of an earlier log have others.
      if (header.compare(frame, 8, 16, 16, 24) !== 0) break
      uncommitted.push([frame.readUInt32BE(0), { file: wal, at: at + FRAME_HEADER_BYTES }])
      if (frame.readUInt32BE(4) === 0) continue
      for (const [page, place] of uncommitted) this.#inLog.set(page, place)
      uncommitted = []
      pages = frame.readUInt32BE(4)
    }
    return pages
  }
}

/** Zeros where the file ends before. */
function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, at)
  return bytes
}
