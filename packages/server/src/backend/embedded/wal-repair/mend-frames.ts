import { bestOf, isPlausible } from './choose-candidate.ts'
import type { DamagedLog, Mend } from './damaged-log.ts'
import { faultsOf } from './page-faults.ts'
import {
  addWords,
  areEqual,
  type Checksum,
  differByOneBit,
  flipsBetween,
  isCertain,
  removeWords,
  wordsBetween,
} from './wal-checksum.ts'
import type { WalFrame } from './wal-frame.ts'

interface Damaged {
  readonly number: number
  readonly frame: WalFrame
  readonly words: Int32Array
  /** The checksum before it. */
  readonly before: Checksum
}

/**
 * Finds out what is wrong with each broken frame, into `log.mends`. Returns the checksum after the last acknowledged frame,
 * with which an unacknowledged one may go on.
 */
export function mendFrames(log: DamagedLog): Checksum {
  let after = log.header.checksum
  let reached = 0
  for (const number of log.broken) {
    const before = number === reached + 1 ? after : checksumOf(log, number - 1)
    const isAfterWhole = number > 1 && number - 1 !== reached
    after = mendFrame(log, number, before)
    if (isAfterWhole) suspectFrameBefore(log, number, before)
    reached = number
  }
  return reached === log.frames ? after : checksumOf(log, log.frames)
}

/**
 * The frame before this one looks whole. Where one bit of its checksum would explain what is wrong here, that bit may hide
 * that its data is damaged, too.
 */
function suspectFrameBefore(log: DamagedLog, number: number, before: Checksum): void {
  const { isBigEndian } = log.header
  const frame = log.stored(number)!
  const words = frame.words(isBigEndian)
  const needed = removeWords(frame.checksum, words)
  const mend = log.mends.get(number)!
  const next = nextOf(log, number, frame.checksum)
  const isProved = next.fits(addWords(before, words)) > next.fits(frame.checksum)
  const isUnsure =
    mend.state === 'kept' ||
    (isWholeWith(mend, frame) && !isProved) ||
    (mend.flip && !isCertain(mend.flip) && faultsOf(frame.data, frame.page) === 0)
  if (isUnsure && differByOneBit(before, needed))
    settle(log, number - 1, asStored(log.stored(number - 1)!, 'kept'))
}

function checksumOf(log: DamagedLog, number: number): Checksum {
  return number === 0 ? log.header.checksum : log.stored(number)!.checksum
}

/** Returns the checksum after the frame. */
function mendFrame(log: DamagedLog, number: number, before: Checksum): Checksum {
  const frame = log.stored(number)!
  const words = frame.words(log.header.isBigEndian)
  const computed = addWords(before, words)
  const isWhole = areEqual(computed, frame.checksum)
  if (isWhole && log.hasSalts(frame)) {
    know(log, number, frame)
    return computed
  }
  const next = nextOf(log, number, frame.checksum)
  const difference = next.fits(computed) - next.fits(frame.checksum)
  if (isWhole || difference > 0) {
    settle(log, number, asStored(frame, isOfOlderLog(log, number) ? 'unusable' : 'corrected'))
    return computed
  }
  const needed = difference < 0 ? frame.checksum : next.needed
  return explain(log, { number, frame, words, before }, { needed, isSure: difference < 0 })
}

interface Next {
  /** The checksum before the next frame with which that one is whole. Without a next frame, the stored one. */
  readonly needed: Checksum
  /** Whether it follows from a checksum: 2 as it is, 1 with one bit flipped that can only be that one, 0 not at all. */
  fits(this: void, before: Checksum): 0 | 1 | 2
}

function nextOf(log: DamagedLog, number: number, stored: Checksum): Next {
  const frame = log.stored(number + 1)
  if (frame === undefined) return { needed: stored, fits: () => 0 }
  const words = frame.words(log.header.isBigEndian)
  const { checksum } = frame
  return {
    needed: removeWords(checksum, words),
    fits(before) {
      if (areEqual(addWords(before, words), checksum)) return 2
      return flipsBetween(before, words, checksum).some(isCertain) ? 1 : 0
    },
  }
}

/** The frames of an older log follow from one another, too. Only the first of them does not follow from the one before. */
function isOfOlderLog(log: DamagedLog, number: number): boolean {
  return !log.hasSalts(log.stored(number)!) && log.mends.get(number - 1)?.state === 'unusable'
}

/**
 * The content of the frame is damaged. Its stored checksum is right if that is sure, else it may be damaged too, and the one
 * that the next frame needs is the right one.
 */
function explain(
  log: DamagedLog,
  damaged: Damaged,
  { needed, isSure }: { needed: Checksum; isSure: boolean },
): Checksum {
  const { number, frame, words, before } = damaged
  const stored = frame.checksum
  const mayBeWhole = !isSure && differByOneBit(stored, addWords(before, words))
  const found = [
    explanation(log, damaged, { after: stored, mayBeWhole, isLikely: true }),
    areEqual(stored, needed)
      ? undefined
      : explanation(log, damaged, { after: needed, mayBeWhole: false, isLikely: false }),
  ].filter((each) => each !== undefined)
  const [first] = found.filter(isSureOf).concat(found)
  if (first === undefined) return giveUp(log, number, { frame, needed })
  if (found.length > 1 && !isSureOf(first)) {
    const pages = [frame.page, ...found.flatMap(({ mend }) => mend.pages)]
    settle(log, number, { ...asStored(frame, 'kept'), pages })
    return stored
  }
  settle(log, number, first.mend)
  return isWholeWith(first.mend, frame) ? addWords(before, words) : first.after
}

interface Explanation {
  readonly mend: Mend
  /** The checksum after the frame. */
  readonly after: Checksum
}

function isSureOf({ mend }: Explanation): boolean {
  return mend.state === 'corrected' && (mend.flip === undefined || isCertain(mend.flip))
}

function explanation(
  log: DamagedLog,
  damaged: Damaged,
  given: { after: Checksum; mayBeWhole: boolean; isLikely: boolean },
): Explanation | undefined {
  const { number, frame, words, before } = damaged
  const { after, mayBeWhole } = given
  const isProved =
    given.isLikely && (log.mends.get(number - 1)?.state ?? 'corrected') === 'corrected'
  const flips = flipsBetween(before, words, after)
  const mend =
    solveNumbers(log, damaged, after) ??
    takeFromDatabase(log, damaged, after) ??
    bestOf(log, number, { frame, flips, mayBeWhole, isProved })
  return mend && { mend, after }
}

/** Returns the checksum that the next frame is checked with. */
function giveUp(
  log: DamagedLog,
  number: number,
  { frame, needed }: { frame: WalFrame; needed: Checksum },
): Checksum {
  const isOurs = log.hasSalts(frame)
  settle(log, number, asStored(frame, isOurs && isPlausible(log, frame) ? 'kept' : 'unusable'))
  // Without its salts it has hardly kept its checksum. The frames after the acknowledged ones must be proved by one.
  return isOurs || number === log.frames ? frame.checksum : needed
}

function isWholeWith(found: Mend, frame: WalFrame): boolean {
  return (
    found.state === 'corrected' &&
    found.flip === undefined &&
    found.isFromDatabase === undefined &&
    found.page === frame.page &&
    found.databasePages === frame.databasePages
  )
}

/**
 * The page number and the size of the database may be damaged in any way: they follow from the checksums around them. Where
 * they look right as they are, other bytes are damaged.
 */
function solveNumbers(
  log: DamagedLog,
  { words, before, frame }: Damaged,
  after: Checksum,
): Mend | undefined {
  if (log.hasSalts(frame) && isPlausible(log, frame)) return undefined
  const pair = wordsBetween(before, removeWords(after, words.subarray(2)))
  const bytes = new DataView(new ArrayBuffer(8))
  for (const [index, word] of pair.entries())
    bytes.setInt32(index * 4, word, !log.header.isBigEndian)
  const [page, databasePages] = [bytes.getUint32(0), bytes.getUint32(4)]
  if (!isPlausible(log, { page, databasePages })) return undefined
  return { ...asStored(frame, 'corrected'), page, databasePages, pages: [page] }
}

/** A page that was copied to the database before the log was damaged is still whole there. */
function takeFromDatabase(
  log: DamagedLog,
  { words, before, frame }: Damaged,
  after: Checksum,
): Mend | undefined {
  const page = log.database.page(frame.page, log.header.pageBytes)
  if (frame.page === 0 || page === undefined) return undefined
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const copied = Int32Array.from(words, (word, index) =>
    index < 2 ? word : view.getInt32((index - 2) * 4, !log.header.isBigEndian),
  )
  if (!areEqual(addWords(before, copied), after)) return undefined
  return { ...asStored(frame, 'corrected'), isFromDatabase: true }
}

function asStored({ page, databasePages }: WalFrame, state: Mend['state']): Mend {
  return { state, page, databasePages, pages: [page] }
}

function settle(log: DamagedLog, number: number, mend: Mend): void {
  log.mends.set(number, mend)
  if (mend.state !== 'unusable') know(log, number, mend)
}

function know(
  log: DamagedLog,
  number: number,
  { page, databasePages }: Pick<WalFrame, 'page' | 'databasePages'>,
): void {
  log.pages[number] = page
  log.sizes[number] = databasePages
}
