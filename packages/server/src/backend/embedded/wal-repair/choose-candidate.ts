import type { DamagedLog, Mend } from './damaged-log.ts'
import { faultsOf } from './page-faults.ts'
import { type Flip, isCertain } from './wal-checksum.ts'
import type { WalFrame } from './wal-frame.ts'

interface Candidate {
  readonly flip?: Flip
  readonly page: number
  readonly databasePages: number
  readonly faults: number
  /** How many bytes of the page were different before. */
  readonly difference: number
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
    .toSorted((a, b) => a.faults - b.faults || a.difference - b.difference)
  const [best, second] = possible
  if (best === undefined) return undefined
  const isClear =
    second === undefined
      ? isCredible(best, asIs, isProved)
      : isLikelier(best, second) && isBetter(best, asIs)
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
  return best.faults === 0 && (best === asIs || isLikelier(best, asIs))
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
  return a.faults < b.faults || (a.faults === b.faults && a.difference < b.difference)
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
  return { page, databasePages, faults, difference: differenceOf(log, number, frame) }
}

/** SQLite writes the pages of a transaction in the order of their numbers, and the database seldom shrinks. */
function numberFaults(log: DamagedLog, number: number, { page, databasePages }: Numbers): number {
  const { pages, sizes } = log
  const sizeBefore = sizes.subarray(0, number).findLast((size) => size > 0) ?? 0
  const sizeAfter = sizes.subarray(number + 1).find((size) => size > 0) ?? Infinity
  const isFirst = number === 1 || sizes[number - 1]! > 0
  const next = pages[number + 1] ?? 0
  return [
    databasePages > 0 && !isBetween(databasePages, sizeBefore, sizeAfter),
    databasePages === 0 && number === log.frames,
    !isFirst && page <= pages[number - 1]!,
    databasePages === 0 && next > 0 && next <= page,
  ].filter(Boolean).length
}

/** A page without an earlier version is taken for half different. */
function differenceOf(log: DamagedLog, number: number, { page, data }: WalFrame): number {
  const before = log.versionBefore(page, number)
  if (before === undefined) return data.length / 2
  let difference = 0
  for (let at = 0; at < data.length; at++) if (data[at] !== before[at]) difference++
  return difference
}
