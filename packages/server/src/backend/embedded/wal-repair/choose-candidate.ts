import type { DamagedLog, Mend } from './damaged-log.ts'
import { faultsOf } from './page-faults.ts'
import { type Flip, isCertain } from './wal-checksum.ts'
import type { WalFrame } from './wal-frame.ts'

/** Where more bytes of a page than these have changed by one bit, flipping a bit back may make a byte as it was by chance. */
const MOST_BY_ONE_BIT = 8
/** A page is the likelier one where it has changed less than another by this share of its bytes. */
const CLEAR_SHARE = 1 / 4
/** What is taken for the share of a page without an earlier version. */
const UNKNOWN_SHARE = 1 / 2

interface Candidate {
  readonly flip?: Flip
  readonly page: number
  readonly databasePages: number
  readonly faults: number
  /** The share of the page's bytes that were different before. */
  readonly changed: number
  /** How many bytes have changed by one bit. */
  readonly byOneBit: number
}

type Numbers = Pick<WalFrame, 'page' | 'databasePages'>

interface Explanations {
  readonly frame: WalFrame
  readonly flips: readonly Flip[]
  /** The damaged bit may be in the stored checksum. */
  readonly mayBeWhole: boolean
  /** The checksums before and after the frame are hardly damaged themselves. */
  readonly isProved: boolean
}

/**
 * The likeliest of the flipped bits which the checksum allows for: the page is in order again, and most like it was before. Where
 * none is likelier than the others, the frame is kept as it is. `undefined`: none is possible.
 */
export function bestOf(
  log: DamagedLog,
  number: number,
  { frame, flips, mayBeWhole, isProved }: Explanations,
): Mend | undefined {
  const asIs = candidate(log, number, frame)
  const candidates = flips.map((flip) => flipped(log, number, frame, flip))
  if (mayBeWhole) candidates.push(asIs)
  const possible = candidates
    .filter((each) => isPlausible(log, each))
    .toSorted((a, b) => a.faults - b.faults || a.changed - b.changed)
  const [best, second] = possible
  if (best === undefined) return undefined
  const isClear =
    second === undefined
      ? isCredible(best, asIs, isProved)
      : isClearlyLikelier(best, second) && isBetter(best, asIs)
  if (isClear) {
    const { flip, page, databasePages } = best
    const mend: Mend = { state: 'corrected', page, databasePages, pages: [page] }
    return flip === undefined ? mend : { ...mend, flip }
  }
  const { page, databasePages } = frame
  if (!isPlausible(log, frame)) return undefined
  return { state: 'kept', page, databasePages, pages: [page, ...possible.map((one) => one.page)] }
}

/** Whether the only explanation is to be believed. */
function isCredible(best: Candidate, asIs: Candidate, isProved: boolean): boolean {
  if (best.flip === undefined || isCertain(best.flip)) return true
  if (isProved) return best.faults === 0 && !isLikelier(asIs, best)
  return isBetter(best, asIs)
}

/** Whether the page speaks for it that the bit was flipped. */
function isBetter(best: Candidate, asIs: Candidate): boolean {
  return best.faults === 0 && (best === asIs || isClearlyLikelier(best, asIs))
}

/** Whether the database may have such a page. A database does not grow by more pages than there are frames. */
export function isPlausible(log: DamagedLog, { page, databasePages }: Numbers): boolean {
  const most = log.largestKnown + log.frames
  return page > 0 && page <= most && (databasePages === 0 || isBetween(databasePages, page, most))
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

/** Whether a page is more in order, or as much in order and more like it was before. */
function isLikelier(a: Candidate, b: Candidate): boolean {
  return a.faults < b.faults || (a.faults === b.faults && a.changed < b.changed)
}

/** Whether it is likelier by more than chance. */
function isClearlyLikelier(a: Candidate, b: Candidate): boolean {
  if (a.faults !== b.faults) return a.faults < b.faults
  if (a.page === b.page) return a.changed < b.changed && a.byOneBit <= MOST_BY_ONE_BIT
  return a.changed + CLEAR_SHARE < b.changed
}

function flipped(log: DamagedLog, number: number, frame: WalFrame, flip: Flip): Candidate {
  const { isBigEndian } = log.header
  frame.flip(flip.word, flip.bit, isBigEndian)
  try {
    return { ...candidate(log, number, frame), flip }
  } finally {
    frame.flip(flip.word, flip.bit, isBigEndian)
  }
}

function candidate(log: DamagedLog, number: number, frame: WalFrame): Candidate {
  const { page, databasePages } = frame
  const faults = numberFaults(log, number, frame) + faultsOf(frame.data, page)
  return { page, databasePages, faults, ...changesOf(log, number, frame) }
}

/** SQLite writes the pages of a transaction in the order of their numbers, and the database seldom shrinks. */
function numberFaults(log: DamagedLog, number: number, { page, databasePages }: Numbers): number {
  const { pages, sizes } = log
  const next = numbersAfter(log, number)
  const sizeBefore = sizes.subarray(0, number).findLast((size) => size > 0) ?? 0
  const sizeAfter =
    next.databasePages || (sizes.subarray(number + 1).find((size) => size > 0) ?? Infinity)
  const isFirst = number === 1 || sizes[number - 1]! > 0
  return [
    databasePages > 0 && !isBetween(databasePages, sizeBefore, sizeAfter),
    databasePages === 0 && number === log.frames,
    page > sizeAfter,
    !isFirst && page <= pages[number - 1]!,
    databasePages === 0 && next.page > 0 && next.page <= page,
  ].filter(Boolean).length
}

/** The numbers of the next frame. Where that one is not whole, most likely only the checksum before it is damaged. */
function numbersAfter(log: DamagedLog, number: number): Numbers {
  const page = log.pages[number + 1] ?? 0
  if (page > 0) return { page, databasePages: log.sizes[number + 1]! }
  const stored = number < log.frames ? log.stored(number + 1) : undefined
  return stored !== undefined && log.hasSalts(stored) && isPlausible(log, stored)
    ? { page: stored.page, databasePages: stored.databasePages }
    : { page: 0, databasePages: 0 }
}

function changesOf(
  log: DamagedLog,
  number: number,
  { page, data }: WalFrame,
): Pick<Candidate, 'changed' | 'byOneBit'> {
  const before = log.versionBefore(page, number)
  if (before === undefined) return { changed: UNKNOWN_SHARE, byOneBit: 0 }
  let [changed, byOneBit] = [0, 0]
  for (let at = 0; at < data.length; at++) {
    const bits = data[at]! ^ before[at]!
    if (bits !== 0) changed++
    if (bits !== 0 && (bits & (bits - 1)) === 0) byOneBit++
  }
  return { changed: changed / data.length, byOneBit }
}
