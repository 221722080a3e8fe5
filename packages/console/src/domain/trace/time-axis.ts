/** In milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A long idle time, drawn shortened. */
interface Break extends Span {
  /** Positions on the axis, from 0 to 1. */
  readonly left: number
  readonly right: number
}

export interface TimeAxis {
  /** The position of a time on the axis, from 0 to 1. */
  readonly place: (at: number) => number
  readonly breaks: readonly Break[]
}

/** The share of the axis that one break takes, and the maximum for all breaks together. */
const BREAK_SHARE = 0.07
const MAX_BREAKS_SHARE = 0.45
const MIN_BREAK_MS = 200

interface Piece extends Span {
  readonly isBreak: boolean
}

/** One axis for attempts that take milliseconds and are minutes apart: shortens idle times that exceed the total active time. */
export function timeAxis(spans: readonly Span[]): TimeAxis {
  const pieces = piecesOf(mergeSpans(spans))
  const breakCount = pieces.filter(({ isBreak }) => isBreak).length
  const share = Math.min(BREAK_SHARE, MAX_BREAKS_SHARE / Math.max(1, breakCount))
  const drawnMs = pieces.reduce((sum, { from, to, isBreak }) => sum + (isBreak ? 0 : to - from), 0)
  const perMs = (1 - share * breakCount) / Math.max(1, drawnMs)
  let left = 0
  const placed = pieces.map((piece) => {
    const right = left + (piece.isBreak ? share : (piece.to - piece.from) * perMs)
    const all = { ...piece, left, right }
    left = right
    return all
  })
  return {
    breaks: placed.filter(({ isBreak }) => isBreak),
    place: (at) => {
      const piece = placed.find(({ to }) => at <= to) ?? placed.at(-1)
      if (piece === undefined) return 0
      const within = (at - piece.from) / Math.max(1, piece.to - piece.from)
      const ratio = Math.max(0, Math.min(1, within))
      return piece.left + ratio * (piece.right - piece.left)
    },
  }
}

/** Sorts spans and merges overlapping ones. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const all: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}

/** The spans and the idle times between them. */
function piecesOf(spans: readonly Span[]): Piece[] {
  const busyMs = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  const longest = Math.max(MIN_BREAK_MS, busyMs)
  return spans.flatMap((span, index) => {
    const before = spans[index - 1]
    const own = { ...span, isBreak: false }
    if (before === undefined) return [own]
    const isBreak = span.from - before.to > longest
    return [{ from: before.to, to: span.from, isBreak }, own]
  })
}
