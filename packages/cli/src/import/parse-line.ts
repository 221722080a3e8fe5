import {
  EVENT_TYPES,
  type EventType,
  INGEST_CODES,
  type IngestCodeName,
  isJsonObject,
  parseTimestamp,
} from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { CallGiven } from '../sending/make-call.ts'
import type { Fingerprint } from './imported-file.ts'
import { parseExactly } from './parse-exactly.ts'
import type { Line } from './read-lines.ts'

/** A call of a file, with the id that tells it from all others. */
export interface LineCall extends CallGiven {
  readonly messageId: string
  readonly timestamp?: unknown
}

/** Why a line was not delivered: a code of the ingestion API, and what is wrong in words. */
export interface Rejection {
  readonly code: string
  readonly message: string
}

export interface LineRules {
  readonly fingerprint: Fingerprint
  /** The type of calls that have none. */
  readonly type: EventType | undefined
}

/** The call on a line, or why there is none. What the client library checks is left to it. Pure. */
export function parseLine(line: Line, rules: LineRules): LineCall | Rejection {
  if (line.isCut) return rejection('message_too_large')
  if (!isUtf8(line.bytes)) return rejection('invalid_json', 'The line is not UTF-8.')
  try {
    return callOf(parseExactly(textOf(line)), line, rules)
  } catch (error) {
    return rejection('invalid_json', `The line is not JSON: ${(error as Error).message}.`)
  }
}

export function isRejection(parsed: LineCall | Rejection): parsed is Rejection {
  return !('type' in parsed)
}

/** The line as text, without the mark that some editors put at the start of a file. */
export function textOf({ bytes, number }: Line): string {
  const text = bytes.toString('utf8').replace(/\r$/, '')
  return number === 1 ? text.replace(/^\ufeff/, '') : text
}

function callOf(value: unknown, line: Line, rules: LineRules): LineCall | Rejection {
  if (!isJsonObject(value)) return rejection('not_an_object')
  const { type = rules.type, originalTimestamp, ...fields } = value
  if (!isEventType(type)) return rejection('unknown_type')
  const messageId = given(fields['messageId']) ?? idOf(line, rules.fingerprint)
  if (typeof messageId !== 'string' && typeof messageId !== 'number') {
    return rejection('id_not_string')
  }
  const call = { ...fields, type, messageId: String(messageId) }
  // What other services export has the time of the event under either name.
  const timestamp = given(fields['timestamp']) ?? given(originalTimestamp)
  if (timestamp === undefined) return call
  // The service would take it for now.
  if (parseTimestamp(timestamp) === undefined) return rejection('timestamp_invalid')
  return { ...call, timestamp }
}

/** The same whenever the file is imported, so that the service knows a call that comes twice. */
function idOf(line: Line, { bytes, startSha256 }: Fingerprint): string {
  const hash = createHash('sha256')
  hash.update(`${startSha256} ${bytes} ${line.number} ${textOf(line)}`)
  return `import-${hash.digest('hex').slice(0, 40)}`
}

function isEventType(type: unknown): type is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(type)
}

function given(value: unknown): unknown {
  return value === null || value === '' ? undefined : value
}

function rejection(code: IngestCodeName, message: string = INGEST_CODES[code].message): Rejection {
  return { code, message }
}
