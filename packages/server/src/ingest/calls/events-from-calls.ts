import {
  type AcceptedEvent,
  callsWithInexactIds,
  callsWithRoundedNumbers,
  containsNumber,
  hasNumericId,
  INGEST_CODES,
  type IngestCodeName,
  isUnsafeInteger,
  isJsonObject,
  type Json,
  type EventWarning,
  mayRoundToZero,
  newId,
  type RoundedNumbers,
  roundedNumbers,
} from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { acceptedEvent } from '../../backend/accepted-event.ts'
import { subjectsOf, type Suppressions } from '../../backend/deletions.ts'
import type { Steps } from '../source-turns.ts'
import { isRefused, type IngestRefusal, type RejectedCall } from '../responses.ts'
import { type CallRules, parseCall } from './parse-call.ts'
import { type Receipt, stamp } from './stamp.ts'

/** The calls in one request, with everything needed to turn them into events. */
export interface RequestCalls {
  readonly calls: readonly Json[]
  readonly sourceId: string
  readonly rules: CallRules
  readonly receipt: Receipt
  /** The JSON of the request, to find numbers that JavaScript rounds. */
  readonly text: string
  /** Whether a call with an unreadable timestamp is refused instead of stamped with the time of receipt. */
  readonly isStrict: boolean
  /** The trace context of the request: all its events belong to one trace. */
  readonly traceContext: string | undefined
}

/** The valid calls as events, and the rejected ones, both in order. */
export interface EventsFromCalls {
  readonly events: readonly AcceptedEvent[]
  readonly rejected: readonly RejectedCall[]
}

const NO_WARNINGS: readonly EventWarning[] = []
const SHOWN_ID_CHARACTERS = 100
const ID_NOT_EXACT: IngestRefusal = { refused: 'id_not_exact' }

/** Turns each valid call into an event, one per step. */
export function* eventsFromCalls(request: RequestCalls): Steps<EventsFromCalls> {
  const events: AcceptedEvent[] = []
  const rejected: RejectedCall[] = []
  const { text, rules } = request
  const rounded = new RoundedCalls(text, { isBatch: rules.type === undefined })
  let inexactIds: ReturnType<typeof inexactIdsOf> | undefined
  for (const [index, call] of request.calls.entries()) {
    const isInexact = hasNumericId(call) && (inexactIds ??= inexactIdsOf(request)).has(index)
    const event = isInexact ? ID_NOT_EXACT : eventFromCall(index, request, rounded)
    if (isRefused(event)) rejected.push(rejectedCall(index, call, event.refused))
    else events.push(event)
    yield
  }
  return { events, rejected }
}

function isInfinite(number: number): boolean {
  return !Number.isFinite(number)
}

function inexactIdsOf({ text, rules }: RequestCalls): ReturnType<typeof callsWithInexactIds> {
  return callsWithInexactIds(text, { isBatch: rules.type === undefined })
}

/** Whether the event belongs to a suppressed user. */
export function isSuppressed(
  event: AcceptedEvent,
  suppressions: Pick<Suppressions, 'has'>,
): boolean {
  const { sourceId } = event
  return subjectsOf(event).some(({ kind, id }) => suppressions.has(sourceId, kind, id))
}

function eventFromCall(
  index: number,
  request: RequestCalls,
  rounded: RoundedCalls,
): AcceptedEvent | IngestRefusal {
  const { sourceId, rules, receipt, isStrict, traceContext } = request
  const call = request.calls[index]!
  const parsed = parseCall(call, rules)
  if (isRefused(parsed)) return parsed
  // Few calls have a number beyond 2^53, so most are searched only once.
  const hasLarge = contains(call, rules, isUnsafeInteger)
  if (hasLarge && contains(call, rules, isInfinite)) return { refused: 'number_not_finite' }
  const { event, warning } = stamp(parsed, parsed.fields.messageId ?? randomUUID(), receipt)
  if (isStrict && warning === 'timestamp_unreadable') return { refused: 'timestamp_invalid' }
  const isRounded =
    (hasLarge || rounded.mayBeZero) &&
    rounded.has(index, (matches) => contains(call, rules, matches))
  const isCut = !rules.isUtf8 && hasReplacement(call, rules)
  const warnings = warningsOf(isRounded, isCut, warning)
  const id = newId('evt', receipt.receivedAt.ms)
  const { unknown } = parsed
  return acceptedEvent({ id, sourceId, event, warnings, unknown, traceContext })
}

/** Whether the call, or the shared parts of its batch, may have lost bytes that are not UTF-8. */
function hasReplacement(call: Json, { shared }: CallRules): boolean {
  return JSON.stringify([call, shared.context, shared.integrations]).includes('\ufffd')
}

function warningsOf(
  isRounded: boolean,
  isCut: boolean,
  warning: EventWarning | undefined,
): readonly EventWarning[] {
  if (!isRounded && !isCut) return warning ? [warning] : NO_WARNINGS
  const warnings: EventWarning[] = isRounded ? ['precision_lost'] : []
  if (isCut) warnings.push('characters_lost')
  return warning ? [...warnings, warning] : warnings
}

/** Whether a number in the call, or in the shared parts of its batch, matches. */
function contains(
  call: Json,
  { shared }: CallRules,
  matches: (number: number) => boolean,
): boolean {
  const values = [call, shared.context, shared.integrations]
  return values.some((value) => containsNumber(value, matches))
}

/** Finds calls with numbers that JavaScript rounds. Each search reads the whole text, so each runs at most once. */
class RoundedCalls {
  readonly #text: string
  readonly #isBatch: boolean
  #mayBeZero: boolean | undefined
  #found: RoundedNumbers | undefined
  #places: Pick<ReadonlySet<number>, 'has'> | undefined

  constructor(text: string, { isBatch }: { readonly isBatch: boolean }) {
    this.#text = text
    this.#isBatch = isBatch
  }

  /** Whether a number of the request may have become 0. */
  get mayBeZero(): boolean {
    return (this.#mayBeZero ??= mayRoundToZero(this.#text))
  }

  /** @param hasNumber whether a parsed number of the call matches */
  has(index: number, hasNumber: (matches: (number: number) => boolean) => boolean): boolean {
    this.#found ??= roundedNumbers(this.#text)
    const { values, isAmbiguous } = this.#found
    if (!hasNumber((number) => values.has(number))) return false
    if (!isAmbiguous) return true
    this.#places ??= callsWithRoundedNumbers(this.#text, { isBatch: this.#isBatch })
    return this.#places.has(index)
  }
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
