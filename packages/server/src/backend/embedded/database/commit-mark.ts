import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncFolderNow } from '../../../util/durable-file.ts'
import type { DatabaseSync } from 'node:sqlite'
import { hasTable } from './statements.ts'

const NAME = 'last-commit'

/** The last acknowledged commit. */
export interface Commit {
  readonly number: number
  readonly lastSeq: number
  readonly lock?: string | undefined
}

/** Two slots, written alternately: one is always complete. */
const SLOT_BYTES = 256
const SLOTS = 2

/**
 * Stores the number of the last commit in a file. Without it, a lost or corrupted write-ahead log would silently take the database
 * back to an earlier commit.
 *
 * Written after each commit and not synced: never ahead of the disk, and possibly seconds behind after a power cut.
 */
export class CommitMark implements Disposable {
  readonly #file: number
  readonly #lock: string | undefined
  #next = 0

  constructor(databaseFile: string, lock: string | undefined) {
    this.#lock = lock
    const path = markFileOf(dirname(databaseFile))
    const isNew = !existsSync(path)
    this.#file = openSync(path, isNew ? 'wx+' : 'r+', 0o600)
    if (isNew) syncFolderNow(dirname(path))
  }

  /** Writes the mark. After an error, the mark is outdated but correct. */
  write(commit: Omit<Commit, 'lock'>): void {
    try {
      const slot = encodeCommit({ ...commit, lock: this.#lock })
      writeSync(this.#file, slot, 0, slot.length, (this.#next++ % SLOTS) * SLOT_BYTES)
    } catch {
      return
    }
  }

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

export function readCommitMark(dataDir: string): Commit | 'corrupted' | undefined {
  const path = markFileOf(dataDir)
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  const slots = Array.from({ length: SLOTS }, (_, index) =>
    decodeSlot(bytes.subarray(index * SLOT_BYTES, (index + 1) * SLOT_BYTES)),
  ).filter((slot) => slot !== undefined)
  // The process exited before its first commit.
  if (bytes.length === 0) return undefined
  return slots.toSorted((a, b) => b.number - a.number)[0] ?? 'corrupted'
}

/** A checksum, then human-readable JSON. */
function encodeCommit(commit: Commit): Buffer {
  const json = JSON.stringify(commit)
  const text = `${crc32(json).toString(16).padStart(8, '0')} ${json}`
  return Buffer.from(`${text.padEnd(SLOT_BYTES - 1)}\n`)
}

function decodeSlot(slot: Buffer): Commit | undefined {
  const text = slot.toString().trim()
  const json = text.slice(9)
  if (text === '' || Number.parseInt(text.slice(0, 8), 16) !== crc32(json)) return undefined
  return JSON.parse(json) as Commit
}

/** Prepares the numbering of commits. Most transactions change this row anyway. */
export function commitCounter(db: DatabaseSync): () => number {
  const next = db.prepare('UPDATE log_position SET commits = commits + 1 RETURNING commits')
  return () => Number(next.get()!['commits'])
}

export function lastCommit(db: DatabaseSync): number {
  if (!hasTable(db, 'log_position')) return 0
  return Number(db.prepare('SELECT commits FROM log_position').get()?.['commits'] ?? 0)
}
