import { fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { emptyLog } from '../database/write-ahead-log.ts'

/** How long one slice may take. Every other write waits for it. */
const SLICE_MS = 5
const PAGES_READ = 64
/** The header of the file, at the beginning of the first page. */
const FILE_HEADER_BYTES = 100

/** The size of the page header, by the type of a B-tree page (sqlite.org/fileformat2.html §1.6). */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])

/** Where the next slice begins, or `busy` where a reader kept the write-ahead log from being emptied. */
export type Scrubbed = { readonly nextPage: number | null } | 'busy'

/**
 * Overwrites what is left of removed content in one slice of the file. `secure_delete` zeroes deleted content.
 * But where a page of a B-tree was split or merged before, copies of the moved cells stay in the
 * middle of the old page, between the list of its cells and the cells, where no cell refers to them.
 *
 * It writes these bytes to the file itself, because SQLite offers no way to them (docs/decisions/0009). That is safe:
 * - Nothing reads those bytes. Other readers, a kill or a power cut halfway find every page intact.
 * - It has the write lock, and the write-ahead log is empty. No connection, in this process or another, changes a byte
 *   of the file between reading a page and writing to it.
 * - It drops the cached pages of this connection, which would bring the bytes back.
 *
 * Run it outside of a transaction.
 */
export function scrub(db: DatabaseSync): (fromPage: number) => Scrubbed {
  const page = db.prepare('PRAGMA page_size')
  const empty = emptyLog(db)
  let file: number | undefined

  return (fromPage) => {
    const path = db.location()!
    // For a reader that takes longer, such as a copy, the caller tries again.
    if (!empty()) return 'busy'
    db.exec('BEGIN IMMEDIATE')
    try {
      if (statSync(`${path}-wal`).size > 0) return 'busy'
      // Not closed while the database is open: closing it would release the locks that SQLite has on the file.
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

/**
 * The bytes from the end of the list of cells to the first cell; none where the page is not of a B-tree. Other pages
 * begin with the byte of such a type only in files of more than 2^25 pages, and no list of cells follows there.
 */
function unusedMiddle(page: Buffer, offset: number): readonly [number, number] {
  const headerBytes = HEADER_BYTES.get(page[offset]!)
  if (headerBytes === undefined) return [0, 0]
  const listStart = offset + headerBytes
  const cells = page.readUInt16BE(offset + 3)
  const listEnd = listStart + 2 * cells
  // Zero stands for 65,536, which does not fit into two bytes.
  const cellsStart = page.readUInt16BE(offset + 5) || 65_536
  if (listEnd > cellsStart || cellsStart > page.length) return [0, 0]
  // A table without rows has one page, with the start of the cells at its end.
  if (cells === 0 && cellsStart !== page.length) return [0, 0]
  for (let at = listStart; at < listEnd; at += 2) {
    const cell = page.readUInt16BE(at)
    if (cell < cellsStart || cell >= page.length) return [0, 0]
  }
  return [listEnd, cellsStart]
}
