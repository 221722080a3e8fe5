import type { TracedAttempt } from './trace-query.ts'

export interface Phase {
  readonly key: string
  readonly words: string
  readonly ms: number
  readonly look: string
}

/** In chronological order. */
export const PHASES: readonly (readonly [key: string, words: string, look: string])[] = [
  ['lookupMs', 'DNS', 'bg-accent/25'],
  ['connectMs', 'connect', 'bg-accent/45'],
  ['tlsMs', 'TLS', 'bg-accent/65'],
  ['responseMs', 'response headers', 'bg-accent'],
  ['transferMs', 'transfer', 'bg-line-strong'],
]

/** Omits phases that were skipped or not reached. */
export function phasesOf({ timing }: Pick<TracedAttempt, 'timing'>): Phase[] {
  const known: Readonly<Record<string, number | undefined>> = timing
  return PHASES.flatMap(([key, words, look]) => {
    const ms = known[key]
    return ms === undefined ? [] : [{ key, words, ms, look }]
  })
}

/** The end of an attempt, including the transfer of the response body. */
export function endOf({
  startedAt,
  durationMs,
  timing,
}: Pick<TracedAttempt, 'startedAt' | 'durationMs' | 'timing'>): number {
  return Date.parse(startedAt) + durationMs + (timing.transferMs ?? 0)
}
