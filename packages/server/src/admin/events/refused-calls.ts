import { type CountsRow, SPANS, type Statistics } from '../../backend/statistics.ts'
import type { MissingCause } from './missing-causes.ts'

const PREFIX = 'refused.'
/** Calls of suppressed users. Suppressions count them by themselves, and at once. */
const LEFT_OUT = 'refused.suppressed'

/**
 * The calls that were refused since `from`, as one cause for each code, the most frequent first. Calls of other sources are
 * left out where they are counted by source. The counts are up to a minute old.
 */
export async function refusedCalls(
  statistics: Pick<Statistics, 'read'>,
  {
    sourceId,
    from,
    to,
  }: { readonly sourceId?: string; readonly from: number; readonly to: number },
): Promise<MissingCause[]> {
  const refused = new Map<string, { count: number; lastAt: number }>()
  // Refused calls belong to no destination: the rows of destinations, which are most of them, are not read.
  const range = { span: 'minute', from, to, destinationId: '' } as const
  for await (const rows of statistics.read(range)) {
    // Without a source: the calls of all, and those whose source is not known.
    const about = rows.filter((row) => [sourceId ?? row.sourceId, ''].includes(row.sourceId))
    for (const [code, count, lastAt] of about.flatMap(refusedIn))
      refused.set(code, { count: count + (refused.get(code)?.count ?? 0), lastAt })
  }
  return [...refused]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([code, evidence]) => ({ code: 'refused', evidence: { ...evidence, code } }))
}

/** The code, the number and the minute of each count of refused calls. */
function refusedIn({ start, counts }: CountsRow): [code: string, count: number, at: number][] {
  return Object.entries(counts)
    .filter(([name]) => name.startsWith(PREFIX) && name !== LEFT_OUT)
    .map(([name, count]) => [name.slice(PREFIX.length), count, start])
}

/** Where a day of counts begins that ends now. */
export function aDayBefore(now: number): number {
  return now - 24 * SPANS.hour
}
