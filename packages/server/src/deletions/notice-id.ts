import { idFrom, timeOfId } from '@hookline/protocol'
import { createHash } from 'node:crypto'

/**
 * The id of the notice that a deletion sends to a destination about a user, which is the `webhook-id` of
 * every attempt. Made from the three alone, so that a step repeated after a crash makes no second notice.
 */
export function noticeId(deletionId: string, destinationId: string, userId: string): string {
  const parts = `${deletionId}/${destinationId}/${userId}`
  const digest = createHash('sha256').update(parts).digest()
  return idFrom('msg', timeOfId(deletionId), digest)
}
