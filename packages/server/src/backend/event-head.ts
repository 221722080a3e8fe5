import {
  type AcceptedEvent,
  type Event,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { SerialisedEvent } from './accepted-event.ts'

/** The columns of an appended event, without its body and its position. */
export type EventHead = readonly [
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  marks: string,
  userId: string | null,
  previousId: string | null,
  /** JSON; `null` for an event of a client. */
  origin: string | null,
  /** JSON: the fields of the event that its body does not have. */
  rest: string,
]

export function eventHeadOf(accepted: AcceptedEvent): EventHead {
  const { id, sourceId, messageId, type, receivedAt, marks, origin, rest } = accepted
  const { userId = null, previousId = null } = accepted
  const from = origin === undefined ? null : JSON.stringify(origin)
  const ids = [id, sourceId, messageId] as const
  return [...ids, type, receivedAt, marks.join(), userId, previousId, from, rest]
}

const NO_MARKS: readonly Mark[] = []

/**
 * The event that was appended with these columns and this body. `known` and `checksum` are those of `SerialisedEvent`.
 * @throws {SyntaxError} if the origin is no JSON object
 */
export function eventOf(
  head: EventHead | readonly [...EventHead, unknown],
  body: Uint8Array,
  known?: Pick<Event, 'anonymousId'>,
  checksum?: number,
): AcceptedEvent {
  const [id, sourceId, messageId, type, receivedAt, marked, userId, previousId, from, rest] = head
  const fields = {
    id,
    sourceId,
    messageId,
    type: type as EventType,
    receivedAt,
    userId: userId ?? undefined,
    previousId: previousId ?? undefined,
    marks: marked === '' ? NO_MARKS : (marked.split(',') as Mark[]),
    origin: from === null ? undefined : (jsonObjectIn(from) as unknown as Origin),
    rest,
    body,
  }
  return new SerialisedEvent(fields, known, checksum)
}
