import type { AcceptedEvent } from '@hookline/protocol'
import type { Subject } from './deletions.ts'

/**
 * Whom an event belongs to: its userId and its previousId; its anonymousId where it has no userId. Who has both ids is known
 * as a user, and only a suppression of the user leaves out the calls.
 */
export function subjectsOf(event: AcceptedEvent): readonly Subject[] {
  const { userId, previousId } = event
  const subjects: Subject[] = []
  if (userId !== undefined) subjects.push({ kind: 'user', id: userId })
  else if (event.anonymousId !== undefined)
    subjects.push({ kind: 'anonymous', id: event.anonymousId })
  if (previousId !== undefined && previousId !== userId)
    subjects.push({ kind: 'user', id: previousId })
  return subjects
}
