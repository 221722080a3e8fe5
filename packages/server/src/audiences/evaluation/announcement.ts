import {
  type AcceptedEvent,
  type Computation,
  formatTimestamp,
  type Json,
  newId,
} from '@hookline/protocol'
import { createHash } from 'node:crypto'
import { acceptedEvent } from '../../backend/accepted-event.ts'
import type { Announced, Announcement } from '../../backend/evaluations.ts'

/** A value that is told for one user. */
export interface Told {
  readonly computation: Computation
  readonly userId: string
  readonly value: Json
  /** What was announced last; `undefined`: nothing. */
  readonly last: Announced | undefined
  /** The sync that found the change; `null`: evaluation in real time. */
  readonly syncId: string | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The announcement of a changed value, with its event. Each has a later timestamp than the one before. */
export function announcementOf({ computation, userId, value, last, ...rest }: Told): Announcement {
  const number = (last?.number ?? 0) + 1
  const at = Math.max(rest.now, (last?.at ?? 0) + 1)
  const event = identifyOf({ computation, userId, value, number, at, ...rest })
  return { computationId: computation.id, userId, value, number, at, event }
}

/** One identify call, for the destinations of the computation, or for some of them. */
interface Identify extends Omit<Told, 'last'>, Announced {
  readonly destinationIds?: readonly string[]
}

/**
 * The identify call that tells a value (requirement §Events): its trait is the key. The messageId is made of the
 * computation, the user, the value and the number of the change: the same change is told with the same messageId. A sync that tells some destinations what others know adds itself to it.
 */
export function identifyOf(identify: Identify): AcceptedEvent {
  const { computation, userId, value, number, at, syncId, now } = identify
  const { id, name, key, kind } = computation
  const { destinationIds = computation.destinationIds } = identify
  const target =
    identify.destinationIds === undefined ? '' : `:${digest(`${syncId} ${destinationIds.join()}`)}`
  const verdict = typeof value === 'boolean' ? String(value) : digest(JSON.stringify(value))
  return acceptedEvent({
    id: newId('evt', now),
    sourceId: id,
    event: {
      type: 'identify',
      messageId: `${id}:${digest(userId)}:${verdict}:${number}${target}`,
      userId,
      timestamp: formatTimestamp(at),
      receivedAt: formatTimestamp(now),
      context: { [kind === 'audience' ? 'audience' : 'computedTrait']: { id, name, key, syncId } },
      traits: { [key]: value },
    },
    marks: [],
    origin: { computationId: id, destinationIds },
  })
}

/** 96 bits: enough to tell users apart, and short enough for a messageId. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
