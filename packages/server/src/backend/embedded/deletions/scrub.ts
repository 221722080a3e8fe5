import { fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { emptyLog } from '../database/write-ahead-log.ts'

/** The duration of a slice. Every other write waits for it. */
const SLICE_MS = 5
const PAGES_READ = 64
const FILE_HEADER_BYTES = 100

/** Size of a B-tree page header by page type (sqlite.org/fileformat2.html §1.6). */
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }

export type ScrubResult = { readonly nextPage: number | null } | 'busy'

/**
 * Overwrites traces of removed content in one slice of the file (docs/decisions/0009). `secure_delete` zeroes deleted
 * content, but a page split or merge leaves copies of moved cells in the unused middle of the old page. This writes to the
 * file itself, which is safe: nothing reads those bytes, the write lock with an empty write-ahead log keeps other
 * connections away, and cached pages, which would restore the bytes, are dropped. Run outside of transactions.
 */
export function scrub(db: DatabaseSync): (fromPage: number) => ScrubResult {
  const page = db.prepare('PRAGMA page_size')
  const empty = emptyLog(db)
  let file: number | undefined

  return (fromPage) => {
    const path = db.location()!
    // Fails during a long read, such as a copy: the caller retries.
    if (!empty()) return 'busy'
    db.exec('BEGIN IMMEDIATE')
    try {
      if (statSync(`${path}-wal`).size > 0) return 'busy'
      // Stays open with the database: closing it would release SQLite's locks on the file.
      file ??= openSync(path, 'r+')
      const nextPage = scrubPages(file, fromPage, Number(page.get()?.['page_size']))
      fdatasyncSync(file)
      return { nextPage }
    } finally {
      db.exec('ROLLBACK; PRAGMA shrink_memory')
    }
  }
}

function scrubPages(file: number, fromPage: number, pageBytes: number): number | null {
  const deadline = performance.now() + SLICE_MS
  const end = Math.floor(fstatSync(file).size / pageBytes)
  const chunk = Buffer.alloc(PAGES_READ * pageBytes)
  const zeros = Buffer.alloc(pageBytes)
  for (let next = fromPage; next < end; next += PAGES_READ) {
    if (performance.now() >= deadline) return next
    const bytes = readSync(file, chunk, 0, chunk.length, next * pageBytes)
    for (let at = 0; at < bytes; at += pageBytes) {
      const offset = next === 0 && at === 0 ? FILE_HEADER_BYTES : 0
      const [from, to] = unusedMiddle(chunk.subarray(at, at + pageBytes), offset)
      if (chunk.compare(zeros, 0, to - from, at + from, at + to) === 0) continue
      writeSync(file, zeros, 0, to - from, next * pageBytes + at + from)
    }
  }
  return null
}

/** The unused bytes between the cell list and the first cell of a B-tree page. No other page has a valid cell list. */
function unusedMiddle(page: Buffer, offset: number): readonly [number, number] {
  const headerBytes = HEADER_BYTES[page[offset]!]
  if (headerBytes === undefined) return [0, 0]
  const listStart = offset + headerBytes
  const cells = page.readUInt16BE(offset + 3)
  const listEnd = listStart + 2 * cells
  // Zero stands for 65,536.
  const cellsStart = page.readUInt16BE(offset + 5) || 65_536
  if (listEnd > cellsStart || cellsStart > page.length) return [0, 0]
  // A table without rows has one page.
  if (cells === 0 && cellsStart !== page.length) return [0, 0]
  for (let at = listStart; at < listEnd; at += 2) {
    const cell = page.readUInt16BE(at)
    if (cell < cellsStart || cell >= page.length) return [0, 0]
  }
  return [listEnd, cellsStart]
}
