import { shownText } from '../../format/shown-text.ts'
import type { FailureGroup } from './failures-query.ts'

/** The class of a group, after its HTTP status where it has one. */
export function classWords({
  class: kind,
  status,
}: Pick<FailureGroup, 'class' | 'status'>): string {
  const words = shownText(kind, 40)
  return status === null ? words : `${status} ${words}`
}
