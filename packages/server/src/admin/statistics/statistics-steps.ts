import { SPANS, type Span } from '../../backend/statistics.ts'

interface Step {
  readonly ms: number
  /** Which rows it is made from. */
  readonly span: Span
}

const step = (span: Span, count: number): Step => ({ ms: SPANS[span] * count, span })

/** How long the time between two points may be. */
export const STEPS = {
  '1m': step('minute', 1),
  '5m': step('minute', 5),
  '15m': step('minute', 15),
  '1h': step('hour', 1),
  '6h': step('hour', 6),
  '1d': step('hour', 24),
} as const satisfies Record<string, Step>

export type StepName = keyof typeof STEPS
