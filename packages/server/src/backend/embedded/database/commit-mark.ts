import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncFolderNow } from '../../../util/durable-file.ts'
import type { DatabaseSync } from 'node:sqlite'
import { hasTable } from './statements.ts'

/** The file name of the commit mark in a data folder. */
const NAME = 'last-commit'

/** The last commit of which a caller was told. */
export interface Commit {
  /** The number of the commit; the database has the same in `log_position`. */
  readonly number: number
  /** The number of the last event of the log. */
  readonly lastSeq: number
  /** Which lock file the process held (`identityOf`). */
  readonly lock?: string | undefined
}

/** Two slots, which are written in turn: one is whole whenever the other is written. */
const SLOT_BYTES = 256
const SLOTS = 2

/**
 * The commit mark: what the last commit was, in a file beside the database. The database cannot know it: where its
 * write-ahead log is damaged or gone, SQLite opens it as it was at an earlier commit, without a word.
 *
 * The mark is written after each commit and not synced. So it costs some microseconds, and is never ahead of what is on
 * disk. After a kill it is exact. After a power cut it may be some seconds behind.
 */
export class CommitMark implements Disposable {
  readonly #file: number
  readonly #lock: string | undefined
  #next = 0

  /** @param lock which lock file this process holds */
  constructor(databaseFile: string, lock: string | undefined) {
    this.#lock = lock
    const path = markFileOf(dirname(databaseFile))
    const isNew = !existsSync(path)
    this.#file = openSync(path, isNew ? 'wx+' : 'r+', 0o600)
    if (isNew) syncFolderNow(dirname(path))
  }

  /** Writes the mark. What goes wrong is left to the next commit: the mark is then behind, and still true. */
  write(commit: Omit<Commit, 'lock'>): void {
    try {
      const slot = encoded({ ...commit, lock: this.#lock })
      writeSync(this.#file, slot, 0, slot.length, (this.#next++ % SLOTS) * SLOT_BYTES)
    } catch {
      return
    }
  }

  /** Writes the mark, so that it survives a power cut as well. */
  writeDurably(commit: Omit<Commit, 'lock'>): void {
    this.write(commit)
    fsyncSync(this.#file)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

export function markFileOf(dataDir: string): string {
  return join(dataDir, NAME)
}

/** Reads the mark of a data folder. `undefined`: there is none. `'damaged'`: it cannot be read. */
export function readCommitMark(dataDir: string): Commit | 'damaged' | undefined {
  const path = markFileOf(dataDir)
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  const slots = Array.from({ length: SLOTS }, (_, index) =>
    decoded(bytes.subarray(index * SLOT_BYTES, (index + 1) * SLOT_BYTES)),
  ).filter((slot) => slot !== undefined)
  // A process that ended before its first commit leaves an empty file.
  if (bytes.length === 0) return undefined
  return slots.toSorted((a, b) => b.number - a.number)[0] ?? 'damaged'
}

/** As text, so that a person can read it: the checksum, then JSON. */
function encoded(commit: Commit): Buffer {
  const json = JSON.stringify(commit)
  const text = `${crc32(json).toString(16).padStart(8, '0')} ${json}`
  return Buffer.from(`${text.padEnd(SLOT_BYTES - 1)}\n`)
}

function decoded(slot: Buffer): Commit | undefined {
  const text = slot.toString().trim()
  const json = text.slice(9)
  if (text === '' || Number.parseInt(text.slice(0, 8), 16) !== crc32(json)) return undefined
  return JSON.parse(json) as Commit
}

/** Prepares what gives a transaction its number. It is in a row that most transactions change anyway. */
export function commitCounter(db: DatabaseSync): () => number {
  const next = db.prepare('UPDATE log_position SET commits = commits + 1 RETURNING commits')
  return () => Number(next.get()!['commits'])
}

/** The number of the last commit; 0 in a database that has none. */
export function lastCommit(db: DatabaseSync): number {
  if (!hasTable(db, 'log_position')) return 0
  return Number(db.prepare('SELECT commits FROM log_position').get()?.['commits'] ?? 0)
}
