import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'

/** Which file a path names: its device and its inode. `undefined` where it names none. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

const HEADER_BYTES = 100

/** The age of a database, from its header (sqlite.org/fileformat.html §1.3). */
interface Header {
  readonly changes: number
  readonly schema: number
}

/**
 * Detects that a path of the database no longer names the open file, or that another program has overwritten the file. The
 * next start would not find later commits.
 */
export class FileWatch implements Disposable {
  readonly #identities: readonly (readonly [path: string, identity: string | undefined])[]
  // Not closed while the database is open: closing it would release the locks that SQLite has on the file.
  readonly #database: number
  readonly #name: string
  #writtenAt = 0n
  #header: Header | undefined

  /** @param databaseFile a database that is open. @param others files that must stay in place as well */
  constructor(databaseFile: string, others: readonly string[]) {
    const paths = [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, ...others]
    this.#identities = paths.map((path) => [path, identityOf(path)])
    this.#name = basename(databaseFile)
    this.#database = openSync(databaseFile, 'r')
    this.written()
  }

  /** Describes the first file that is not in place; `undefined` if all are. Without its path, because `/readyz` is public. */
  fault(): string | undefined {
    for (const [path, identity] of this.#identities) {
      const present = presentAt(path)
      if (present === identity) continue
      const fate = present === undefined ? 'was moved or removed' : 'was replaced'
      return `${basename(path)} ${fate}`
    }
    return this.#isOverwritten() ? `${this.#name} was overwritten` : undefined
  }

  /** Call it after each commit: the database itself may have written its file. */
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
   * Between two commits, only a checkpoint by another program may write the file. It leaves the schema as it is, and
   * never has fewer changes. A backup has another schema number, or fewer changes.
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

/** The file that a path names now. A path that cannot be followed names none. */
function presentAt(path: string): string | undefined {
  try {
    return identityOf(path)
  } catch {
    return undefined
  }
}
