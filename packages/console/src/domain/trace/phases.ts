import type { TracedAttempt } from './trace-query.ts'

/** A phase of an attempt: its duration, and how its bar looks. */
export interface Phase {
  readonly key: string
  readonly words: string
  readonly ms: number
  readonly look: string
}

/** In their order in time. The bars become stronger towards the response. */
export const PHASES: readonly (readonly [key: string, words: string, look: string])[] = [
  ['lookupMs', 'DNS', 'bg-accent/25'],
  ['connectMs', 'connect', 'bg-accent/45'],
  ['tlsMs', 'TLS', 'bg-accent/65'],
  ['answerMs', 'first byte', 'bg-accent'],
  ['transferMs', 'transfer', 'bg-line-strong'],
]

/** The phases of an attempt. One that was not needed or not reached is left out. */
export function phasesOf({ timing }: Pick<TracedAttempt, 'timing'>): Phase[] {
  const known: Readonly<Record<string, number | undefined>> = timing
  return PHASES.flatMap(([key, words, look]) => {
    const ms = known[key]
    return ms === undefined ? [] : [{ key, words, ms, look }]
  })
}

/** When an attempt ended, with the transfer of the body of the response. */
export function endOf({
  startedAt,
  durationMs,
  timing,
}: Pick<TracedAttempt, 'startedAt' | 'durationMs' | 'timing'>): number {
  const { transferMs = 0 } = timing
  return Date.parse(startedAt) + durationMs + transferMs
}
