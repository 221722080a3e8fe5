import { SPANS, type Span } from '../../backend/statistics.ts'

interface Step {
  readonly ms: number
  /** The time span of the rows that it sums up. */
  readonly span: Span
}

const step = (span: Span, count: number): Step => ({ ms: SPANS[span] * count, span })

/** The possible steps between two points. */
export const STEPS = {
  '1m': step('minute', 1),
  '5m': step('minute', 5),
  '15m': step('minute', 15),
  '1h': step('hour', 1),
  '6h': step('hour', 6),
  '1d': step('hour', 24),
} as const satisfies Record<string, Step>

export type StepName = keyof typeof STEPS
