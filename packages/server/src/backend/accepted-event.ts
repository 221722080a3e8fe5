import {
  type AcceptedEvent,
  fieldsOutsidePayload,
  type Event,
  eventIn,
  type EventType,
  formatTimestamp,
  type JsonObject,
  jsonObjectIn,
  type EventWarning,
  type Origin,
  TRACE_FIELD,
  webhookPayload,
} from '@hookline/protocol'

export interface NewEvent {
  readonly id: string
  readonly sourceId: string
  readonly event: Event
  readonly warnings: readonly EventWarning[]
  readonly origin?: Origin
  /** The call's unknown keys, as members of a JSON object, without braces. */
  readonly unknown?: string
  readonly traceContext?: string | undefined
}

/** If the event has a trace context, `rest` begins with this, so it is found without parsing. */
const TRACED = `{"${TRACE_FIELD}":`
const TRACE_CONTEXT = /"(?:[^"\\]|\\.)*"/y

/** Serialises an event, once for the log, the archive and the webhooks. */
export function acceptedEvent(created: NewEvent): AcceptedEvent {
  const { id, sourceId, event, warnings, origin, unknown = '', traceContext } = created
  const members =
    traceContext === undefined
      ? unknown
      : `"${TRACE_FIELD}":${JSON.stringify(traceContext)}${unknown && ','}${unknown}`
  const fields = {
    id,
    sourceId,
    type: event.type,
    messageId: event.messageId,
    userId: event.userId,
    previousId: event.previousId,
    receivedAt: Date.parse(event.receivedAt),
    warnings,
    origin,
    body: Buffer.from(webhookPayload(event)),
    rest: fieldsOutsidePayload(event, members),
  }
  return new SerialisedEvent(fields, event)
}

export type SerialisedFields = Omit<
  AcceptedEvent,
  'event' | 'integrations' | 'anonymousId' | 'origin' | 'traceContext'
> & { readonly origin: Origin | undefined }

/** A serialised event. The fields in its JSON are parsed when they are read. */
export class SerialisedEvent implements AcceptedEvent {
  readonly id: string
  readonly sourceId: string
  readonly type: Event['type']
  readonly messageId: string
  readonly userId: string | undefined
  readonly previousId: string | undefined
  readonly receivedAt: number
  readonly warnings: readonly EventWarning[]
  declare readonly origin?: Origin
  readonly body: Uint8Array
  readonly rest: string
  #event: Event | undefined
  #payload: JsonObject | undefined
  /** `null`: not parsed yet. */
  #anonymousId: string | undefined | null
  readonly #checksum: number | undefined

  /** `known`: fields that need no parsing. `checksum`: the stored checksum, if it matched. */
  constructor(fields: SerialisedFields, known?: Pick<Event, 'anonymousId'>, checksum?: number) {
    this.#checksum = checksum
    this.#anonymousId = known === undefined ? null : known.anonymousId
    this.id = fields.id
    this.sourceId = fields.sourceId
    this.type = fields.type
    this.messageId = fields.messageId
    this.userId = fields.userId
    this.previousId = fields.previousId
    this.receivedAt = fields.receivedAt
    this.warnings = fields.warnings
    if (fields.origin !== undefined) this.origin = fields.origin
    this.body = fields.body
    this.rest = fields.rest
  }

  /** The parsed body. Cheaper to parse than the whole event. */
  get payload(): JsonObject {
    return (this.#payload ??= jsonObjectIn(textOf(this.body)))
  }

  /**
   * @throws {SyntaxError} if the stored text is not a JSON object: access it right after reading
   * from disk, to find out
   */
  get event(): Event {
    this.#event ??= eventIn(this.payload, jsonObjectIn(this.rest), formatTimestamp(this.receivedAt))
    return this.#event
  }

  get anonymousId(): string | undefined {
    if (this.#anonymousId === null) this.#anonymousId = this.event.anonymousId
    return this.#anonymousId
  }

  get traceContext(): string | undefined {
    if (!this.rest.startsWith(TRACED)) return undefined
    TRACE_CONTEXT.lastIndex = TRACED.length
    const [json] = TRACE_CONTEXT.exec(this.rest) ?? []
    return json === undefined ? undefined : (JSON.parse(json) as string)
  }

  get checksum(): number | undefined {
    return this.#checksum
  }

  get integrations(): JsonObject | undefined {
    // Few calls have any, and the search is cheaper than parsing.
    return this.rest.includes('"integrations"')
      ? (jsonObjectIn(this.rest)['integrations'] as JsonObject | undefined)
      : undefined
  }
}

/** A plain object with all fields, including lazily parsed ones. */
export function withParsedFields(accepted: AcceptedEvent): AcceptedEvent {
  const { event, anonymousId, integrations, traceContext } = accepted
  return { ...accepted, event, anonymousId, integrations, traceContext }
}

export function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
}

/** The columns of an appended event except its body and position. */
export type EventHead = readonly [
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  warnings: string,
  userId: string | null,
  previousId: string | null,
  origin: string | null,
  /** JSON of the fields that are not in the body. */
  rest: string,
]

export function eventHeadOf(accepted: AcceptedEvent): EventHead {
  const { id, sourceId, messageId, type, receivedAt, warnings, origin, rest } = accepted
  const { userId = null, previousId = null } = accepted
  const from = origin === undefined ? null : JSON.stringify(origin)
  const ids = [id, sourceId, messageId] as const
  return [...ids, type, receivedAt, warnings.join(), userId, previousId, from, rest]
}

const NO_WARNINGS: readonly EventWarning[] = []

/** `known` and `checksum` as in `SerialisedEvent`. @throws {SyntaxError} if the origin is not a JSON object */
export function eventOf(
  head: EventHead | readonly [...EventHead, unknown],
  body: Uint8Array,
  known?: Pick<Event, 'anonymousId'>,
  checksum?: number,
): AcceptedEvent {
  const [
    id,
    sourceId,
    messageId,
    type,
    receivedAt,
    joinedWarnings,
    userId,
    previousId,
    from,
    rest,
  ] = head
  const fields = {
    id,
    sourceId,
    messageId,
    type: type as EventType,
    receivedAt,
    userId: userId ?? undefined,
    previousId: previousId ?? undefined,
    warnings: joinedWarnings === '' ? NO_WARNINGS : (joinedWarnings.split(',') as EventWarning[]),
    origin: from === null ? undefined : (jsonObjectIn(from) as unknown as Origin),
    rest,
    body,
  }
  return new SerialisedEvent(fields, known, checksum)
}

export interface MaxAmount {
  readonly events: number
  readonly bytes: number
}

export class EventAmount {
  #events = 0
  #bytes = 0

  add(events: readonly AcceptedEvent[]): void {
    this.#events += events.length
    this.#bytes += bytesOf(events)
  }

  remove(events: readonly AcceptedEvent[]): void {
    this.#events -= events.length
    this.#bytes -= bytesOf(events)
  }

  clear(): void {
    this.#events = 0
    this.#bytes = 0
  }

  isOver({ events, bytes }: MaxAmount): boolean {
    return this.#events > events || this.#bytes > bytes
  }
}

function bytesOf(events: readonly AcceptedEvent[]): number {
  return events.reduce((sum, { body, rest }) => sum + body.length + rest.length, 0)
}
