import { countText, wholeNumber } from '../../format/figures.ts'
import type { FailureGroup } from './failures-query.ts'

/** `3 deliveries`, or `1,709+ deliveries` if older ones were not counted. */
export function failureCount({
  count,
  isComplete,
}: Pick<FailureGroup, 'count' | 'isComplete'>): string {
  return isComplete
    ? countText(count, 'delivery', 'deliveries')
    : `${wholeNumber(count)}+ deliveries`
}
