import type { DatabasePages } from './database-pages.ts'
import { areEqual, type Checksum, type Flip } from './wal-checksum.ts'
import type { WalFile } from './wal-file.ts'
import type { WalFrame } from './wal-frame.ts'
import type { WalHeader } from './wal-header.ts'

/** What is known of a damaged frame. */
export interface Mend {
  /**
   * `corrected`: it has its content again. `kept`: its content is wrong, and stays as it is. `unusable`: nobody knows of which
   * page it was, or it is of another log.
   */
  readonly state: 'corrected' | 'kept' | 'unusable'
  readonly page: number
  readonly databasePages: number
  readonly flip?: Flip
  readonly isFromDatabase?: true
  /** The pages that it may be of. */
  readonly pages: readonly number[]
}

/** The acknowledged frames of a write-ahead log, and what is known of the damaged ones. */
export class DamagedLog {
  readonly file: WalFile
  readonly header: WalHeader
  readonly database: DatabasePages
  /** How many acknowledged frames the file has. */
  readonly frames: number
  readonly mends = new Map<number, Mend>()
  /** Of each frame by its number, the page; 0 while that is not known. */
  readonly pages: Uint32Array
  /** Of each frame by its number, the size of the database; 0 in the middle of a transaction, and while not known. */
  readonly sizes: Uint32Array
  /** The frames that do not follow from the one before. */
  readonly broken: readonly number[]
  /** The largest number of a page in the database, as far as whole frames say. */
  readonly largestKnown: number

  constructor(file: WalFile, header: WalHeader, database: DatabasePages, frames: number) {
    this.file = file
    this.header = header
    this.database = database
    this.frames = frames
    this.pages = new Uint32Array(frames + 1)
    this.sizes = new Uint32Array(frames + 1)
    this.broken = this.#scan()
    this.largestKnown = [this.pages, this.sizes].reduce(
      (most, numbers) => numbers.reduce((before, each) => Math.max(before, each), most),
      database.count(header.pageBytes),
    )
  }

  /** A frame as it is on disk. `undefined`: the file has not so many. */
  stored(number: number): WalFrame | undefined {
    const { pageBytes } = this.header
    if (number > this.file.frames(pageBytes)) return undefined
    return this.file.frame(number, pageBytes)
  }

  /** The content of a page before the frame. */
  versionBefore(page: number, number: number): Buffer | undefined {
    const before = this.pages.subarray(0, number).lastIndexOf(page)
    if (before < 1) return this.database.page(page, this.header.pageBytes)
    return this.mended(this.stored(before)!, before).data
  }

  /** Writes into the frame what is known of it. */
  mended(frame: WalFrame, number: number): WalFrame {
    const mend = this.mends.get(number)
    if (mend === undefined) return frame
    if (mend.flip !== undefined) frame.flip(mend.flip.word, mend.flip.bit, this.header.isBigEndian)
    if (mend.isFromDatabase) this.database.page(mend.page, this.header.pageBytes)!.copy(frame.data)
    frame.setNumbers(mend.page, mend.databasePages)
    return frame
  }

  hasSalts({ salt1, salt2 }: WalFrame): boolean {
    return salt1 === this.header.salt1 && salt2 === this.header.salt2
  }

  /** Each frame is checked with the checksum that is stored in the one before: a bad frame makes at most the next one look bad. */
  #scan(): number[] {
    const { pageBytes, isBigEndian } = this.header
    const broken: number[] = []
    let before: Checksum = this.header.checksum
    for (const [number, frame] of this.file.walk(1, this.frames, pageBytes)) {
      const { checksum } = frame
      if (this.hasSalts(frame) && areEqual(frame.checksumAfter(before, isBigEndian), checksum)) {
        this.pages[number] = frame.page
        this.sizes[number] = frame.databasePages
      } else broken.push(number)
      before = checksum
    }
    return broken
  }
}
