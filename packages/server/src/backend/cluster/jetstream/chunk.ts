import {
  type AcceptedEvent,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { crc32 } from 'node:zlib'
import { SerialisedEvent } from '../../accepted-event.ts'
import type { LogEntry } from '../../log.ts'

/** An event without its body, and the length of that. `null` is a field that the event does not have. */
type Head = readonly [
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  marks: string,
  userId: string | null,
  anonymousId: string | null,
  previousId: string | null,
  /** JSON. */
  origin: string | null,
  rest: string,
  bodyBytes: number,
]

/** The version, the checksum of all that follows it, and the length of the heads. */
const PREFIX_BYTES = 9
const VERSION = 1
const CHECKSUM_AT = 1
const LENGTH_AT = 5

/**
 * Events as a message has them: a byte for the version, a checksum, the heads in JSON, and all bodies, one after the other.
 * A node of one version before reads what a newer one appends, so a new version is read first and written later.
 */
export function chunkOf(events: readonly AcceptedEvent[]): Buffer {
  const heads = Buffer.from(JSON.stringify(events.map(headOf)))
  const bodyBytes = events.reduce((sum, { body }) => sum + body.length, 0)
  const chunk = Buffer.allocUnsafe(PREFIX_BYTES + heads.length + bodyBytes)
  chunk[0] = VERSION
  chunk.writeUInt32BE(heads.length, LENGTH_AT)
  chunk.set(heads, PREFIX_BYTES)
  let at = PREFIX_BYTES + heads.length
  for (const { body } of events) {
    chunk.set(body, at)
    at += body.length
  }
  chunk.writeUInt32BE(crc32(chunk.subarray(LENGTH_AT)), CHECKSUM_AT)
  return chunk
}

/**
 * What a message has. The bodies share its memory. A message that is damaged, or of a version that this node does not know,
 * has no events: it has the ids of those that can be told, or `name`.
 */
export function eventsOfChunk(
  chunk: Buffer,
  name: string,
): Pick<LogEntry, 'events' | 'unreadable'> {
  try {
    return { events: decoded(chunk) }
  } catch (error) {
    const reason = `The chunk ${name} of the log is damaged: ${(error as Error).message}`
    return { events: [], unreadable: idsIn(chunk, name).map((id) => ({ id, reason })) }
  }
}

/** The bytes that an event takes in a chunk, about: heads are JSON, which may spell a character with more bytes. */
export function bytesInChunk({ body, rest, messageId, userId = '' }: AcceptedEvent): number {
  return body.length + 3 * (rest.length + messageId.length + userId.length) + HEAD_BYTES
}

const HEAD_BYTES = 512

function headOf(event: AcceptedEvent): Head {
  const { id, sourceId, messageId, type, receivedAt, marks, origin, rest, body } = event
  const { userId = null, anonymousId = null, previousId = null } = event
  const from = origin === undefined ? null : JSON.stringify(origin)
  const ids = [userId, anonymousId, previousId] as const
  return [id, sourceId, messageId, type, receivedAt, marks.join(), ...ids, from, rest, body.length]
}

function decoded(chunk: Buffer): AcceptedEvent[] {
  if (chunk[0] !== VERSION) throw new SyntaxError(`its version is ${chunk[0]}.`)
  if (crc32(chunk.subarray(LENGTH_AT)) !== chunk.readUInt32BE(CHECKSUM_AT))
    throw new SyntaxError('it has another checksum than when it was appended.')
  let at = PREFIX_BYTES + chunk.readUInt32BE(LENGTH_AT)
  return headsIn(chunk).map((head) =>
    eventOf(head, chunk.subarray(at, (at += head.at(-1) as number))),
  )
}

function headsIn(chunk: Buffer): readonly Head[] {
  const heads = chunk.subarray(PREFIX_BYTES, PREFIX_BYTES + chunk.readUInt32BE(LENGTH_AT))
  return JSON.parse(heads.toString()) as readonly Head[]
}

function idsIn(chunk: Buffer, name: string): readonly string[] {
  try {
    return headsIn(chunk).map(([id]) => id)
  } catch {
    return [name]
  }
}

function eventOf(head: Head, body: Buffer): AcceptedEvent {
  const [id, sourceId, messageId, type, receivedAt, marks, userId, anonymousId, previousId] = head
  const [, , , , , , , , , origin, rest] = head
  return new SerialisedEvent(
    {
      id,
      sourceId,
      messageId,
      type: type as EventType,
      receivedAt,
      marks: marks === '' ? [] : (marks.split(',') as Mark[]),
      userId: userId ?? undefined,
      previousId: previousId ?? undefined,
      origin: origin === null ? undefined : (jsonObjectIn(origin) as unknown as Origin),
      body,
      rest,
    },
    anonymousId === null ? {} : { anonymousId },
  )
}
