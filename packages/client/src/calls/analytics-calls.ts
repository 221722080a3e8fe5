// For programs with an older compile target: the declaration files use AsyncDisposable.
/// <reference lib="esnext.disposable" preserve="true" />
import { type EventType, isJsonObject } from '@hookline/protocol'
import type { Clock } from '../clock.ts'
import { ValidationError } from '../errors.ts'
import { textOf } from '../reporting/safe-calls.ts'
import type { AliasCall, EventMap, GroupCall, IdentifyCall, TrackCall, ViewCall } from './call.ts'
import { randomUuid } from './random-uuid.ts'
import {
  type Fields,
  jsonValueOf,
  serialise,
  type SerialisedMessage,
  unrepresentableError,
} from './serialise.ts'
import { validate } from './validate.ts'

const OBJECT_FIELDS = ['properties', 'traits', 'context', 'integrations']

/** The `context.library` of every message. A test compares it with package.json. */
export const LIBRARY = { name: '@hookline/client', version: '0.1.0' } as const

/** The message of a call. */
export interface Message extends SerialisedMessage {
  readonly type: EventType
  readonly messageId: string
}

/** The six calls. Each throws a `ValidationError` for an invalid call. */
export abstract class AnalyticsCalls<Events extends EventMap> {
  readonly #maxBytes: number
  readonly #clock: Clock

  constructor(maxMessageBytes: number, clock: Clock) {
    this.#maxBytes = maxMessageBytes
    this.#clock = clock
  }

  /** Sets traits of a user. */
  identify(call: IdentifyCall): void {
    this.#make('identify', call)
  }

  /** Records an action by a user. */
  track(call: TrackCall<Events>): void {
    this.#make('track', call)
  }

  /** Records a page view. */
  page(call: ViewCall): void {
    this.#make('page', call)
  }

  /** Records a screen view. */
  screen(call: ViewCall): void {
    this.#make('screen', call)
  }

  /** Adds a user to a group, and sets traits of the group. */
  group(call: GroupCall): void {
    this.#make('group', call)
  }

  /** Declares that `previousId` and `userId` are the same user. */
  alias(call: AliasCall): void {
    this.#make('alias', call)
  }

  /** Queues or records the message of a call, or throws. */
  protected abstract take(message: Message): void

  /** The context of a message. `hookline import` overrides this to keep the library of a call. */
  protected withLibrary(context: object): object {
    return { ...context, library: LIBRARY }
  }

  #make(type: EventType, call: unknown): void {
    let message
    try {
      message = this.#message(type, snapshot(call))
    } catch (cause) {
      if (cause instanceof ValidationError) throw cause
      // A getter, a `toJSON` or a Proxy in the program may throw anything.
      throw unrepresentableError(textOf(cause), { cause })
    }
    this.take(message)
  }

  #message(type: EventType, call: unknown): Message {
    validate(type, call)
    const messageId = String(call.messageId ?? '') || randomUuid()
    const message = {
      ...call,
      type,
      messageId,
      // The number 0 is a timestamp, not an absent one.
      timestamp:
        (call.timestamp ?? '') === '' ? new Date(this.#clock.now()).toISOString() : call.timestamp,
    }
    const { text, bytes } = serialise(message, this.#maxBytes, (context) =>
      this.withLibrary(context),
    )
    return { type, messageId, text, bytes }
  }
}

/** The fields of a call to validate and send: each is read once, and objects are replaced by the result of their `toJSON`. */
function snapshot(call: unknown): unknown {
  if (!isJsonObject(call)) return call
  const fields: Fields = { ...call }
  for (const name of OBJECT_FIELDS) {
    if (fields[name] !== undefined) fields[name] = jsonValueOf(fields[name], name)
  }
  const { timestamp } = fields
  if (typeof timestamp === 'object' && timestamp !== null) {
    fields['timestamp'] = textOfDate(timestamp)
  }
  return fields
}

/**
 * The JSON of a Date or an object of a date library. For an invalid Date, returns `false`, an invalid timestamp, because a
 * call without a timestamp would be dated now.
 */
function textOfDate(date: object): unknown {
  try {
    return jsonValueOf(date, 'timestamp') || false
  } catch {
    return false
  }
}
