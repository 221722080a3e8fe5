/** What a simulated receiver does with a request. */
export type Mood =
  /** 200. */
  | 'healthy'
  /** 200 or 500, evenly. */
  | 'flaky'
  | 'failing'
  /** 429 with Retry-After. */
  | 'throttling'
  /** No answer until the deadline. */
  | 'hanging'
  /** The connection is refused. */
  | 'refusing'
  /** 404. */
  | 'rejecting'
  /** 410: after a while its webhook is paused. */
  | 'gone'

interface Spell {
  /** From when on, in milliseconds since the beginning. */
  readonly fromMs: number
  readonly mood: Mood
}

/** How one webhook behaves over time. Before its first spell it is healthy. */
export interface Weather {
  readonly spells: readonly Spell[]
  readonly latencyMs: { readonly least: number; readonly most: number }
  readonly retryAfterMs: number
}

export function moodAt({ spells }: Weather, sinceBeginningMs: number): Mood {
  return spells.findLast(({ fromMs }) => fromMs <= sinceBeginningMs)?.mood ?? 'healthy'
}
