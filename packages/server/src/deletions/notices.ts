import { type Destination, idFrom, timeOfId } from '@hookline/protocol'
import { createHash } from 'node:crypto'
import type { DeletionRequest, Subject } from '../backend/deletions.ts'
import type { NewNotice } from '../backend/notices.ts'

/**
 * The notices of a deletion for some of its users: one for each user and each enabled destination of the sources that
 * the deletion covers.
 */
export function noticesOf(
  { id: deletionId, createdAt, sourceIds }: DeletionRequest,
  subjects: readonly Subject[],
  destinations: Iterable<Destination>,
  now: number,
): NewNotice[] {
  return [...destinations]
    .filter(({ enabled, sourceId }) => enabled && (sourceIds?.includes(sourceId) ?? true))
    .flatMap(({ id: destinationId, sourceId }) =>
      subjects.map((subject) => ({
        id: noticeId(deletionId, destinationId, subject),
        deletionId,
        sourceId,
        destinationId,
        subject,
        createdAt,
        dueAt: now,
      })),
    )
}

/**
 * The id of the notice that a deletion sends to a destination about a user. It is the `webhook-id` of every attempt. It
 * depends on the three arguments only, so a step that is repeated after a crash makes no second notice.
 */
export function noticeId(deletionId: string, destinationId: string, { kind, id }: Subject): string {
  // No deletion has an id that begins with `anonymous`.
  const parts = `${kind === 'user' ? '' : 'anonymous/'}${deletionId}/${destinationId}/${id}`
  const digest = createHash('sha256').update(parts).digest()
  return idFrom('msg', timeOfId(deletionId), digest)
}
