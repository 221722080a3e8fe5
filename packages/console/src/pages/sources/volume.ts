import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'

/** A point of the statistics, as far as a source needs it. */
interface Point {
  readonly at: string
  readonly received: number
  readonly refused: Readonly<Record<string, number>>
}

/** Why calls were refused, and how many. */
export interface Refusal {
  readonly code: string
  readonly count: number
  /** What the code means, and what to do. */
  readonly meaning: string
  readonly remedy: string
}

/** The periods that a person can choose, with the step between two points. */
export const PERIODS = {
  '1h': { words: 'Last hour', ms: 3_600_000, step: '1m' },
  '24h': { words: 'Last 24 hours', ms: 86_400_000, step: '15m' },
  '7d': { words: 'Last 7 days', ms: 604_800_000, step: '1h' },
  '30d': { words: 'Last 30 days', ms: 2_592_000_000, step: '6h' },
} as const

export type Period = keyof typeof PERIODS

/** The period that the URL names, or the usual one. */
export function periodOf(text: string | undefined): Period {
  return text !== undefined && Object.hasOwn(PERIODS, text) ? (text as Period) : '24h'
}

export function receivedIn(points: readonly Point[]): number {
  return points.reduce((sum, { received }) => sum + received, 0)
}

export function refusedAt({ refused }: Point): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

export function refusedIn(points: readonly Point[]): number {
  return points.reduce((sum, point) => sum + refusedAt(point), 0)
}

/** The refused calls by their code, the most frequent one first. */
export function refusalsIn(points: readonly Point[]): Refusal[] {
  const counts = new Map<string, number>()
  for (const { refused } of points)
    for (const [code, count] of Object.entries(refused))
      counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts]
    .filter(([, count]) => count > 0)
    .toSorted(([a, before], [b, after]) => after - before || a.localeCompare(b))
    .map(([code, count]) => ({ code, count, ...wordsOf(code) }))
}

/** What is counted beside the codes of refusals: these calls got a 200. */
const LEFT_OUT = {
  meaning: 'The user is suppressed: the call got a 200, and was not kept.',
  remedy: 'Nothing to do. The page Privacy lists who is suppressed, and ends it.',
} as const

/** A service of a later version may have codes that this console does not know. */
function wordsOf(code: string): { readonly meaning: string; readonly remedy: string } {
  if (code === 'suppressed') return LEFT_OUT
  if (!Object.hasOwn(INGEST_CODES, code))
    return { meaning: 'The console does not know this code.', remedy: 'Reload the page.' }
  const { message, help } = INGEST_CODES[code as IngestCodeName]
  return { meaning: message, remedy: help }
}
