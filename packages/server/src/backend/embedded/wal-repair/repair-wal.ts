import { DamagedLog } from './damaged-log.ts'
import { DatabasePages } from './database-pages.ts'
import { mendFrames } from './mend-frames.ts'
import { areEqual, type Checksum } from './wal-checksum.ts'
import { WalFile } from './wal-file.ts'
import { parseHeader, type Salts, solveHeader, type WalHeader, withChecksum } from './wal-header.ts'
import { replaceWal } from './write-wal.ts'

/** The position in the write-ahead log of the last commit that a caller was told of. */
export interface AckedWal extends Salts {
  /** Frames that were synced at that moment. */
  readonly frames: number
}

interface DamagedFrame {
  /** Counted from 1; 0 is the header of the log. */
  readonly frame: number
  /** The page of the database whose content it has; 0: not known. */
  readonly page: number
  /** Its content is again what was written. */
  readonly corrected: boolean
  /** A later frame has the same page: the damage changed nothing in the database. */
  readonly isReplacedLater: boolean
}

export interface WalRepair {
  /** `missing`: acknowledged frames are not in the file. What is there of them was repaired all the same. */
  readonly state: 'whole' | 'repaired' | 'missing'
  /** How many of the acknowledged frames are in the log. */
  readonly frames: number
  readonly damaged: readonly DamagedFrame[]
}

/**
 * Repairs a damaged write-ahead log before SQLite opens it: SQLite would ignore all frames from the first bad one on. Only
 * frames that were acknowledged are repaired. Those after them stay if they are whole, up to the end of a transaction, as SQLite
 * keeps them. A log without damage is not touched. No process may have the database open.
 */
export function repairWal(walFile: string, acked: AckedWal): WalRepair {
  if (acked.frames === 0) return { state: 'whole', frames: 0, damaged: [] }
  using file = openIfThere(walFile)
  if (file === undefined) return { state: 'missing', frames: 0, damaged: [] }
  using database = new DatabasePages(walFile.replace(/-wal$/, ''))
  const intact = parseHeader(file.header())
  const header = intact ?? rebuiltHeader(file, database, acked)
  if (header === undefined || header.salt1 !== acked.salt1 || header.salt2 !== acked.salt2)
    return { state: 'missing', frames: 0, damaged: [] }
  const frames = Math.min(acked.frames, file.frames(header.pageBytes))
  const log = new DamagedLog(file, header, database, frames)
  const isWhole = intact !== undefined && log.broken.length === 0
  const usable = isWhole ? frames : repair(walFile, log, acked)
  const damaged = damagedFrames(log, intact === undefined)
  if (usable < acked.frames) return { state: 'missing', frames: usable, damaged }
  return { state: isWhole ? 'whole' : 'repaired', frames, damaged }
}

/** Returns how many acknowledged frames the repaired log has. */
function repair(walFile: string, log: DamagedLog, acked: AckedWal): number {
  const after = mendFrames(log)
  // Where the end is lost, SQLite ends the log with the last complete transaction: half a one would contradict itself.
  const usable = log.pages.findLastIndex((page) => page > 0)
  if (usable < 1) return 0
  const endsTransaction = usable === acked.frames
  replaceWal(walFile, log, {
    last: endsTransaction ? lastWhole(log, after) : usable,
    endsTransaction,
  })
  return usable
}

/** The last frame of the last complete transaction after the acknowledged ones. */
function lastWhole(log: DamagedLog, after: Checksum): number {
  const { pageBytes, isBigEndian } = log.header
  let last = log.frames
  let before = after
  const all = log.file.frames(pageBytes)
  for (const [number, frame] of log.file.walk(log.frames + 1, all, pageBytes)) {
    const { page, databasePages, checksum } = frame
    if (page === 0 || !log.hasSalts(frame)) break
    if (!areEqual(frame.checksumAfter(before, isBigEndian), checksum)) break
    if (databasePages > 0) last = number
    before = checksum
  }
  return last
}

/** The header, made from what is known of it. `undefined`: no frame has the salts. */
function rebuiltHeader(
  file: WalFile,
  database: DatabasePages,
  { salt1, salt2 }: Salts,
): WalHeader | undefined {
  const pageBytes = file.findPageBytes({ salt1, salt2 }, database.pageBytes)
  if (pageBytes === undefined) return undefined
  const known = { salt1, salt2, pageBytes }
  const solved = solveHeader(file.header(), file.frame(1, pageBytes), known)
  if (solved !== undefined) return solved
  const isBigEndian = hasBigEndianChecksums(file, pageBytes)
  return withChecksum({ ...known, isBigEndian, sequence: 0 })
}

function hasBigEndianChecksums(file: WalFile, pageBytes: number): boolean {
  let before: Checksum | undefined
  for (const [, frame] of file.walk(1, file.frames(pageBytes), pageBytes)) {
    const { checksum } = frame
    for (const isBigEndian of [true, false])
      if (before !== undefined && areEqual(frame.checksumAfter(before, isBigEndian), checksum))
        return isBigEndian
    before = checksum
  }
  return false
}

/** From the last frame to the first, with the pages that come later. */
function damagedFrames(log: DamagedLog, isHeaderDamaged: boolean): DamagedFrame[] {
  const later = new Set<number>()
  const damaged: DamagedFrame[] = []
  for (let frame = log.frames; frame > 0; frame--) {
    const mend = log.mends.get(frame)
    if (mend !== undefined)
      damaged.push({
        frame,
        page: mend.state === 'unusable' ? 0 : mend.page,
        corrected: mend.state === 'corrected',
        isReplacedLater: mend.state !== 'unusable' && mend.pages.every((page) => later.has(page)),
      })
    if (mend === undefined || mend.state === 'corrected') later.add(log.pages[frame]!)
  }
  if (isHeaderDamaged) damaged.push({ frame: 0, page: 0, corrected: true, isReplacedLater: false })
  return damaged.toReversed()
}

function openIfThere(path: string): WalFile | undefined {
  try {
    return new WalFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
