import { type AcceptedEvent, EVENT_TYPES, isId } from '@hookline/protocol'
import { crc32 } from 'node:zlib'
import { CHECKSUM_MISMATCH, checksumOf } from '../../../util/event-checksum.ts'
import type { LogEntry } from '../../log.ts'
import type { UnreadableRecord } from '../../quarantine.ts'
import { type EventColumns, eventColumnsOf, storedEventOf } from '../postgres/event-rows.ts'

/** The version, the checksum of count and table, and the count of events. */
const PREFIX_BYTES = 9
const VERSION = 1
const CHECKSUM_AT = 1
const COUNT_AT = 5
/** A row of the table: the length of the head of an event, the length of its body, and its checksum. */
const ROW_BYTES = 12

/**
 * Encodes events as a message: the prefix, the table, then the head (JSON) and the body of each event. Each event has a checksum,
 * so a corrupt one leaves the others readable. A new version may be written only if the previous release can read it.
 */
export function chunkOf(events: readonly AcceptedEvent[]): Buffer {
  const table = Buffer.alloc(PREFIX_BYTES + ROW_BYTES * events.length)
  table[0] = VERSION
  let row = table.writeUInt32BE(events.length, COUNT_AT)
  const contents = events.flatMap((event) => {
    const columns = eventColumnsOf(event)
    const head = Buffer.from(JSON.stringify(columns))
    row = table.writeUInt32BE(head.length, row)
    row = table.writeUInt32BE(event.body.length, row)
    row = table.writeUInt32BE(checksumOf(columns, event.body), row)
    return [head, event.body]
  })
  table.writeUInt32BE(crc32(table.subarray(COUNT_AT)), CHECKSUM_AT)
  return Buffer.concat([table, ...contents])
}

/** Decodes a message without copying bodies. Never throws. If its table is corrupt, all of it is `unreadable`, under `name`. */
export function eventsOfChunk(
  chunk: Buffer,
  name: string,
): Pick<LogEntry, 'events' | 'unreadable'> {
  const frames = framesIn(chunk)
  if (typeof frames === 'string') {
    const reason = `Invalid message ${name} in the log: ${frames}`
    return { events: [], unreadable: [{ id: name, reason, content: chunk }] }
  }
  const events: AcceptedEvent[] = []
  const unreadable: UnreadableRecord[] = []
  for (const [index, frame] of frames.entries()) {
    const event = eventIn(frame)
    if (typeof event !== 'string') {
      events.push(event)
      continue
    }
    const id = idIn(frame.head) ?? `${name}.${index}`
    const reason = `Corrupt event in message ${name} of the log: ${event}`
    unreadable.push({ id, reason, content: Buffer.concat([frame.head, frame.body]) })
  }
  return unreadable.length === 0 ? { events } : { events, unreadable }
}

/** Estimates the bytes of an event in a chunk: JSON may escape characters in heads. */
export function bytesInChunk({ body, rest, messageId, userId = '' }: AcceptedEvent): number {
  return body.length + 3 * (rest.length + messageId.length + userId.length) + HEAD_BYTES
}

const HEAD_BYTES = 512

interface Frame {
  readonly head: Buffer
  readonly body: Buffer
  readonly checksum: number
}

/** Splits a chunk into events, or returns the reason why it is invalid. */
function framesIn(chunk: Buffer): Frame[] | string {
  if (chunk.length < PREFIX_BYTES) return 'Too short.'
  if (chunk[0] !== VERSION) return `Unsupported version ${chunk[0]}.`
  const tableEnd = PREFIX_BYTES + ROW_BYTES * chunk.readUInt32BE(COUNT_AT)
  const checksum = crc32(chunk.subarray(COUNT_AT, tableEnd))
  if (tableEnd > chunk.length || checksum !== chunk.readUInt32BE(CHECKSUM_AT))
    return 'Table checksum mismatch.'
  const frames: Frame[] = []
  let start = tableEnd
  for (let row = PREFIX_BYTES; row < tableEnd; row += ROW_BYTES) {
    const bodyAt = start + chunk.readUInt32BE(row)
    const end = bodyAt + chunk.readUInt32BE(row + 4)
    frames.push({
      head: chunk.subarray(start, bodyAt),
      body: chunk.subarray(bodyAt, end),
      checksum: chunk.readUInt32BE(row + 8),
    })
    start = end
  }
  return start === chunk.length ? frames : 'The length of the chunk does not match its table.'
}

const WRONG_FIELDS = 'Invalid fields.'

/** Returns the event, or the reason why it is invalid. */
function eventIn({ head, body, checksum }: Frame): AcceptedEvent | string {
  try {
    const columns: unknown = JSON.parse(head.toString())
    return hasTypes(columns) ? storedEventOf(columns, body, checksum) : WRONG_FIELDS
  } catch (error) {
    // Other error messages may quote the content.
    const { message } = error as Error
    return message === CHECKSUM_MISMATCH ? message : WRONG_FIELDS
  }
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isTextOrNull: Check = (value) => value === null || isText(value)
/** Text that the database can store unchanged. */
const isStored: Check = (value) => isText(value) && !(value as string).includes('\0')
/** Milliseconds since the epoch that a Date can represent. */
const isTime: Check = (value) => Number.isInteger(value) && Math.abs(value as number) <= 8.64e15

/** In the order of `EventColumns`. */
const CHECKS: readonly Check[] = [
  (id) => isText(id) && isId('evt', id as string),
  isText,
  isText,
  (type) => EVENT_TYPES.some((each) => each === type),
  isTime,
  isStored,
  isTextOrNull,
  isTextOrNull,
  (origin) => origin === null || isStored(origin),
  isStored,
  isTextOrNull,
]

function hasTypes(value: unknown): value is EventColumns {
  if (!Array.isArray(value) || value.length !== CHECKS.length) return false
  return CHECKS.every((check, index) => check(value[index]))
}

/** Reads the id from the beginning of a head that may be corrupt. */
function idIn(head: Buffer): string | undefined {
  const [, id = ''] = /^\["([^"]*)"/.exec(head.toString('latin1')) ?? []
  return isId('evt', id) ? id : undefined
}

export const MAX_EVENTS = 4096

/** The positions in the log of the events that this process has appended or consumed and still has in memory. */
export class LogPositions {
  readonly #positions = new WeakMap<object, number>()

  keep(events: readonly AcceptedEvent[], number: number): void {
    for (const [index, event] of events.entries())
      this.#positions.set(event, number * MAX_EVENTS + index)
  }

  of(event: object): number | undefined {
    return this.#positions.get(event)
  }
}

export function endOfChunk(number: number): number {
  return number * MAX_EVENTS + MAX_EVENTS - 1
}
