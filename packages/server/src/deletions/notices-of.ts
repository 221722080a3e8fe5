import type { Destination } from '@hookline/protocol'
import type { DeletionRequest } from '../backend/deletions.ts'
import type { NewNotice } from '../backend/notices.ts'
import { noticeId } from './notice-id.ts'

/** The notices of a deletion about some of its users: one for each of them and each destination that is on, in the sources it is about. */
export function noticesOf(
  { id: deletionId, createdAt, sourceIds }: DeletionRequest,
  userIds: readonly string[],
  destinations: Iterable<Destination>,
  now: number,
): NewNotice[] {
  return [...destinations]
    .filter(({ enabled, sourceId }) => enabled && (sourceIds?.includes(sourceId) ?? true))
    .flatMap(({ id: destinationId, sourceId }) =>
      userIds.map((userId) => ({
        id: noticeId(deletionId, destinationId, userId),
        deletionId,
        sourceId,
        destinationId,
        userId,
        createdAt,
        dueAt: now,
      })),
    )
}
