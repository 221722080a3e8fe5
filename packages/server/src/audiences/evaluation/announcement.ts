import {
  type AcceptedEvent,
  type Computation,
  formatTimestamp,
  type Json,
  newId,
} from '@hookline/protocol'
import { acceptedEvent } from '../../backend/accepted-event.ts'
import type { AnnouncedValue, Announcement } from '../../backend/evaluations.ts'
import { shortHash } from '../../util/short-hash.ts'

export interface ValueForUser {
  readonly computation: Computation
  readonly userId: string
  readonly value: Json
  readonly last: AnnouncedValue | undefined
  /** The sync that found the change; `null` in real time. */
  readonly syncId: string | null
  readonly now: number
}

/** Announces a changed value, with a later timestamp than the last announcement. */
export function announcementOf({
  computation,
  userId,
  value,
  last,
  ...rest
}: ValueForUser): Announcement {
  const number = (last?.number ?? 0) + 1
  const at = Math.max(rest.now, (last?.at ?? 0) + 1)
  const event = identifyOf({ computation, userId, value, number, at, ...rest })
  return { computationId: computation.id, userId, value, number, at, event }
}

/** `destinationIds` defaults to all destinations of the computation. */
interface Identify extends Omit<ValueForUser, 'last'>, AnnouncedValue {
  readonly destinationIds?: readonly string[]
}

/**
 * The identify call that announces a value, as a trait named after the key. The messageId depends on computation, user,
 * value and change number, so a repeated announcement is a duplicate. For added destinations, it also depends on the sync and
 * the destinations.
 */
export function identifyOf(identify: Identify): AcceptedEvent {
  const { computation, userId, value, number, at, syncId, now } = identify
  const { id, name, key, kind } = computation
  const { destinationIds = computation.destinationIds } = identify
  const target =
    identify.destinationIds === undefined
      ? ''
      : `:${shortHash(`${syncId} ${destinationIds.join()}`)}`
  const verdict = typeof value === 'boolean' ? String(value) : shortHash(JSON.stringify(value))
  return acceptedEvent({
    id: newId('evt', now),
    sourceId: id,
    event: {
      type: 'identify',
      messageId: `${id}:${shortHash(userId)}:${verdict}:${number}${target}`,
      userId,
      timestamp: formatTimestamp(at),
      receivedAt: formatTimestamp(now),
      context: { [kind === 'audience' ? 'audience' : 'computedTrait']: { id, name, key, syncId } },
      traits: { [key]: value },
    },
    warnings: [],
    origin: { computationId: id, destinationIds },
  })
}
