import {
  type AcceptedEvent,
  containsNumber,
  inexactIntegers,
  INGEST_CODES,
  type IngestCodeName,
  isBeyondExact,
  isJsonObject,
  type Json,
  type Mark,
  newId,
} from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import type { RejectedCall } from '../answer.ts'
import { type CallRules, parseCall } from './parse-call.ts'
import { isRefused, type Refused } from './refused.ts'
import { type Receipt, stamp } from './stamp.ts'

/** The calls of one request, and all that decides about them. */
export interface CallsToAccept {
  readonly calls: readonly Json[]
  readonly sourceId: string
  readonly rules: CallRules
  readonly receipt: Receipt
  /** The JSON of the request, to tell which numbers in it JavaScript cannot hold exactly. */
  readonly text: string
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
  let found: ReadonlySet<number> | undefined
  // Once for all calls, and for most requests not at all: it passes over the whole text.
  const inexact = (): ReadonlySet<number> => (found ??= inexactIntegers(request.text))
  for (const [index, call] of request.calls.entries()) {
    const accepted = acceptCall(call, request, inexact)
    if (isRefused(accepted)) rejected.push(rejectedCall(index, call, accepted.refused))
    else events.push(accepted)
  }
  return { events, rejected }
}

function acceptCall(
  call: Json,
  request: CallsToAccept,
  inexact: () => ReadonlySet<number>,
): AcceptedEvent | Refused {
  const { sourceId, rules, receipt, isStrict } = request
  const parsed = parseCall(call, rules)
  if (isRefused(parsed)) return parsed
  const { event, mark } = stamp(parsed, parsed.fields.messageId ?? randomUUID(), receipt)
  if (isStrict && mark === 'timestamp_unreadable') return { refused: 'timestamp_invalid' }
  const isInexact = hasLostPrecision(call, rules, inexact)
  const marks: readonly Mark[] =
    mark === undefined && !isInexact
      ? NO_MARKS
      : [...(isInexact ? (['precision_lost'] as const) : []), ...(mark ? [mark] : [])]
  return { id: newId('evt', receipt.receivedAt.ms), sourceId, event, marks }
}

function hasLostPrecision(
  call: Json,
  { shared }: CallRules,
  inexact: () => ReadonlySet<number>,
): boolean {
  const values = [call, shared.context, shared.integrations]
  const contain = (isMeant: (number: number) => boolean): boolean =>
    values.some((value) => containsNumber(value, isMeant))
  return contain(isBeyondExact) && contain((number) => inexact().has(number))
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
