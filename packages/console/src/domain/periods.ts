const HOUR = 3_600_000

/** Periods of plots. `step` is the interval of their points. */
export const PERIODS = {
  '1h': { words: 'Last hour', ms: HOUR, step: '1m', stepMs: 60_000 },
  '24h': { words: 'Last 24 hours', ms: 24 * HOUR, step: '15m', stepMs: 900_000 },
  '7d': { words: 'Last 7 days', ms: 168 * HOUR, step: '1h', stepMs: HOUR },
} as const

export type PeriodName = keyof typeof PERIODS

export const PERIOD_CHOICES = Object.entries(PERIODS).map(
  ([name, { words }]) => [name, words] as const,
)

/** The period in the URL, by default the last hour. */
export function periodOf(text: string | undefined): PeriodName {
  return text !== undefined && Object.hasOwn(PERIODS, text) ? (text as PeriodName) : '1h'
}

const RANGES = { '15m': { words: 'Last 15 minutes', ms: HOUR / 4 }, ...PERIODS }

/** The time filters of lists, with their words. */
export const RANGE_CHOICES = Object.entries(RANGES).map(
  ([name, { words }]) => [name, words] as const,
)

/** The start of a time filter, as ISO 8601; `undefined` for an unknown one. */
export function rangeStart(range: string, now: number): string | undefined {
  if (!Object.hasOwn(RANGES, range)) return undefined
  return new Date(now - RANGES[range as keyof typeof RANGES].ms).toISOString()
}
