import {
  type AcceptedEvent,
  containsNumber,
  INGEST_CODES,
  type IngestCodeName,
  isJsonObject,
  type Json,
  type Mark,
  newId,
} from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import type { RejectedCall } from './answer.ts'
import { type CallRules, parseCall } from './parse-call.ts'
import { isRefused, type Refused } from './refused.ts'
import { type Receipt, stamp } from './stamp.ts'

/** The calls of one request, and all that decides about them. */
export interface CallsToAccept {
  readonly calls: readonly Json[]
  readonly sourceId: string
  readonly rules: CallRules
  readonly receipt: Receipt
  /** Numbers of the request that JSON cannot carry exactly. */
  readonly inexact: ReadonlySet<number>
  /** Whether a timestamp that cannot be read is refused, and not replaced. */
  readonly isStrict: boolean
}

/** What became of the calls, each in its order. */
export interface Acceptance {
  readonly events: readonly AcceptedEvent[]
  readonly rejected: readonly RejectedCall[]
}

const NO_MARKS: readonly Mark[] = []
const SHOWN_ID_CHARACTERS = 100

/** Makes an event of every call that is good, and tells why the others are not. One never costs another. */
export function acceptCalls(request: CallsToAccept): Acceptance {
  const events: AcceptedEvent[] = []
  const rejected: RejectedCall[] = []
  for (const [index, call] of request.calls.entries()) {
    const accepted = acceptCall(call, request)
    if (isRefused(accepted)) rejected.push(rejectedCall(index, call, accepted.refused))
    else events.push(accepted)
  }
  return { events, rejected }
}

function acceptCall(call: Json, request: CallsToAccept): AcceptedEvent | Refused {
  const { sourceId, rules, receipt, inexact, isStrict } = request
  const parsed = parseCall(call, rules)
  if (isRefused(parsed)) return parsed
  const { event, mark } = stamp(parsed, parsed.fields.messageId ?? randomUUID(), receipt)
  if (isStrict && mark === 'timestamp_unreadable') return { refused: 'timestamp_invalid' }
  const isInexact = inexact.size > 0 && containsNumber([call, sharedValues(rules)], inexact)
  const marks: readonly Mark[] =
    mark === undefined && !isInexact
      ? NO_MARKS
      : [...(isInexact ? (['precision_lost'] as const) : []), ...(mark ? [mark] : [])]
  return { id: newId('evt', receipt.receivedAt.ms), sourceId, event, marks }
}

function sharedValues({ shared }: CallRules): Json {
  return [shared.context ?? null, shared.integrations ?? null]
}

function rejectedCall(index: number, call: Json, code: IngestCodeName): RejectedCall {
  const messageId = isJsonObject(call) ? call['messageId'] : undefined
  return {
    index,
    messageId: typeof messageId === 'string' ? messageId.slice(0, SHOWN_ID_CHARACTERS) : null,
    code,
    message: INGEST_CODES[code].message,
  }
}
