import { existsSync, readFileSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** The numbers of the pages in a write-ahead log, up to its last commit (sqlite.org/fileformat2.html §4). */
export function pagesInLog(file: string): ReadonlySet<number> {
  const pages = new Set<number>()
  if (!existsSync(file)) return pages
  const log = readFileSync(file)
  if (log.length < HEADER_BYTES) return pages
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8)
  let uncommitted: number[] = []
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames of an earlier log have different salts.
    if (log.compare(log, 16, 24, at + 8, at + 16) !== 0) break
    uncommitted.push(log.readUInt32BE(at))
    if (log.readUInt32BE(at + 4) === 0) continue
    for (const page of uncommitted) pages.add(page)
    uncommitted = []
  }
  return pages
}
