import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'

/** Device and inode of the file at a path; `undefined` if it cannot be found. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

const HEADER_BYTES = 100

/** From the database header (sqlite.org/fileformat.html §1.3). */
interface Header {
  readonly changes: number
  readonly schema: number
}

/** Detects that a database path no longer names the open file, or that another program has overwritten it. */
export class FileWatch implements Disposable {
  readonly #identities: readonly (readonly [path: string, identity: string | undefined])[]
  // Stays open with the database: closing it would release SQLite's locks on the file.
  readonly #database: number
  readonly #name: string
  #writtenAt = 0n
  #header: Header | undefined

  /** @param others other files that must stay in place */
  constructor(databaseFile: string, others: readonly string[]) {
    const paths = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, ...others]
    this.#identities = paths.map((path) => [path, identityOf(path)])
    this.#name = basename(databaseFile)
    this.#database = openSync(databaseFile, 'r')
    this.written()
  }

  /** Describes the first problem, if any. Without paths, because `/readyz` is public. */
  problem(): string | undefined {
    for (const [path, identity] of this.#identities) {
      const present = identityOf(path)
      if (present === identity) continue
      const change = present === undefined ? 'moved or removed' : 'replaced'
      return `${basename(path)} was ${change}`
    }
    return this.#isOverwritten() ? `${this.#name} was overwritten` : undefined
  }

  /** Call it after each commit, which may have written the file. */
  written(): void {
    const writtenAt = this.#modifiedAt()
    if (writtenAt === this.#writtenAt) return
    this.#writtenAt = writtenAt
    this.#header = this.#readHeader()
  }

  [Symbol.dispose](): void {
    closeSync(this.#database)
  }

  /**
   * Whether the schema changed or the change counter went back, as when a backup is copied over the
   * file. A checkpoint does neither.
   */
  #isOverwritten(): boolean {
    if (this.#modifiedAt() === this.#writtenAt) return false
    const present = this.#readHeader()
    const isLater =
      present !== undefined &&
      present.schema === this.#header?.schema &&
      present.changes >= this.#header.changes
    if (isLater) this.written()
    return !isLater
  }

  #modifiedAt(): bigint {
    return fstatSync(this.#database, { bigint: true }).mtimeNs
  }

  #readHeader(): Header | undefined {
    const header = Buffer.alloc(HEADER_BYTES)
    const bytes = readSync(this.#database, header, 0, HEADER_BYTES, 0)
    if (bytes < HEADER_BYTES || header.toString('latin1', 0, 15) !== 'SQLite format 3') return
    return { changes: header.readUInt32BE(24), schema: header.readUInt32BE(40) }
  }
}
