import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderNow } from '../../../util/durable-file.ts'
import type { DamagedLog } from './damaged-log.ts'
import type { WalFrame } from './wal-frame.ts'
import { headerBytes, withChecksum } from './wal-header.ts'

interface Extent {
  /** The last frame that is written. */
  readonly last: number
  /** A transaction must end with the last acknowledged frame. */
  readonly endsTransaction: boolean
}

/**
 * Puts a log with the mended frames in place of the damaged one, which is kept beside it. At any moment, the one or the other is
 * there. Frames keep their numbers, and the log its salts: what was acknowledged is still found by them.
 */
export function replaceWal(walFile: string, log: DamagedLog, extent: Extent): void {
  const partial = `${walFile}.partial`
  rmSync(partial, { force: true })
  try {
    const file = openSync(partial, 'wx', 0o600)
    try {
      writeFrames(file, log, extent)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    keepDamaged(walFile)
    // It is an index of the damaged log. SQLite makes a new one.
    rmSync(walFile.replace(/-wal$/, '-shm'), { force: true })
    renameSync(partial, walFile)
    syncFolderNow(dirname(walFile))
  } finally {
    rmSync(partial, { force: true })
  }
}

function keepDamaged(walFile: string): void {
  const damaged = `${walFile}.damaged`
  chmodSync(walFile, 0o600)
  rmSync(damaged, { force: true })
  try {
    linkSync(walFile, damaged)
  } catch {
    // Not every file system has links.
    copyFileSync(walFile, damaged)
  }
}

function writeFrames(file: number, log: DamagedLog, { last, endsTransaction }: Extent): void {
  const header = withChecksum(log.header)
  writeSync(file, headerBytes(header))
  let { checksum } = header
  for (const [number, stored] of log.file.walk(1, last, header.pageBytes)) {
    const frame = usable(log, stored, number)
    if (number === log.frames && endsTransaction && frame.databasePages === 0)
      frame.setNumbers(frame.page, sizeAtEnd(log))
    frame.setSalts(header.salt1, header.salt2)
    checksum = frame.checksumAfter(checksum, header.isBigEndian)
    frame.setChecksum(checksum)
    writeSync(file, frame.bytes)
  }
}

/** In place of a frame that is unusable, another one a second time: that changes nothing. */
function usable(log: DamagedLog, frame: WalFrame, number: number): WalFrame {
  if (log.mends.get(number)?.state !== 'unusable') return log.mended(frame, number)
  const before = log.pages.subarray(0, number).findLastIndex((page) => page > 0)
  const other = before > 0 ? before : log.pages.findIndex((page) => page > 0)
  const copy = log.mended(log.stored(other)!, other)
  copy.setNumbers(copy.page, 0)
  return copy
}

/** The size of the database, where the frame that said it is lost. */
function sizeAtEnd({ pages, sizes, database, header }: DamagedLog): number {
  const known = sizes.findLast((size) => size > 0) ?? database.count(header.pageBytes)
  return pages.reduce((most, page) => Math.max(most, page), known)
}
