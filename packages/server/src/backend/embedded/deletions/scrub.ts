import { fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Whatever else is written waits as long. */
const SLICE_MS = 5
/** Readers of a moment let it pass; one that reads for long, a copy being made, is waited for by the caller. */
const CHECKPOINT_WAIT_MS = 20
const PAGES_READ = 64
/** The first page begins with the header of the file. */
const FILE_HEADER_BYTES = 100

/** Page types of B-trees, with the bytes of their headers (sqlite.org/fileformat2.html §1.6). */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])

/** Where the next slice begins, or that the log of the database could not be emptied now. */
export type Scrubbed = { readonly nextPage: number | null } | 'busy'

/**
 * Overwrites, in one slice of the file, what is left of removed content. `secure_delete` zeroes what is
 * deleted, but where a page of a B-tree was split or merged before, copies of the moved cells stay in the
 * middle of the old page, between the list of its cells and the cells, which no cell ever refers to.
 *
 * It writes there with the file's own format in mind and not through SQLite, which has no way to it
 * (docs/decisions/0009). That is safe because
 * - nothing reads those bytes: a reader beside it, a kill or a power cut halfway find every page whole;
 * - the write lock is held and the write-ahead log empty meanwhile, so that nobody, in this process or
 *   another, changes a byte of the file: what was read of a page is still so when it is written to;
 * - the cached pages of this connection are dropped, or they would bring the bytes back.
 *
 * To be run outside of a transaction.
 */
export function scrub(db: DatabaseSync): (fromPage: number) => Scrubbed {
  const page = db.prepare('PRAGMA page_size')
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  let file: number | undefined

  return (fromPage) => {
    const path = db.location()!
    db.exec(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`)
    const isBusy = checkpoint.get()?.['busy'] !== 0
    db.exec('PRAGMA busy_timeout = 0')
    if (isBusy) return 'busy'
    db.exec('BEGIN IMMEDIATE')
    try {
      if (statSync(`${path}-wal`).size > 0) return 'busy'
      // Never closed while the database is open: to close it would drop the locks SQLite has on the file.
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
 * From the end of the list of cells to the first cell; empty where this is no page of a B-tree. Other pages
 * begin with such a byte only in files of more than 2^25 pages, and what follows is no list of cells there.
 */
function unusedMiddle(page: Buffer, offset: number): readonly [number, number] {
  const headerBytes = HEADER_BYTES.get(page[offset]!)
  if (headerBytes === undefined) return [0, 0]
  const listStart = offset + headerBytes
  const cells = page.readUInt16BE(offset + 3)
  const listEnd = listStart + 2 * cells
  // Zero stands for 65,536, which a number of two bytes cannot say.
  const cellsStart = page.readUInt16BE(offset + 5) || 65_536
  if (listEnd > cellsStart || cellsStart > page.length) return [0, 0]
  // A table without rows has one page, whose cells would begin at its end.
  if (cells === 0 && cellsStart !== page.length) return [0, 0]
  for (let at = listStart; at < listEnd; at += 2) {
    const cell = page.readUInt16BE(at)
    if (cell < cellsStart || cell >= page.length) return [0, 0]
  }
  return [listEnd, cellsStart]
}
