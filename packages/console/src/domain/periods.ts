const HOUR = 3_600_000

/** A period that a person can pick, with the step between two points of its plots. */
export const PERIODS = {
  '1h': { words: 'Last hour', ms: HOUR, step: '1m', stepMs: 60_000 },
  '24h': { words: 'Last 24 hours', ms: 24 * HOUR, step: '15m', stepMs: 900_000 },
  '7d': { words: 'Last 7 days', ms: 168 * HOUR, step: '1h', stepMs: HOUR },
} as const

export type PeriodName = keyof typeof PERIODS

/** The names of the periods with their words, for a list to pick from. */
export const PERIOD_CHOICES = Object.entries(PERIODS).map(
  ([name, { words }]) => [name, words] as const,
)

/** The period that a URL names; the last hour where it names none. */
export function periodOf(text: string | undefined): PeriodName {
  return text !== undefined && Object.hasOwn(PERIODS, text) ? (text as PeriodName) : '1h'
}
