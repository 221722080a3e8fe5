import type { AcceptedEvent } from '@hookline/protocol'
import type { Suppressions } from '../../backend/deletions.ts'

/** Whether the event is about a suppressed user: it carries the userId, or names it as a former one. */
export function isSuppressed(
  { sourceId, event: { userId, previousId } }: AcceptedEvent,
  suppressions: Suppressions,
): boolean {
  return [userId, previousId].some((id) => id !== undefined && suppressions.has(sourceId, id))
}
