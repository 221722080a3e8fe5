import {
  CALL_LIMITS,
  type EventType,
  idErrorCode,
  type IngestCodeName,
  isJsonObject,
  isUnsafeInteger,
  parseTimestamp,
} from '@hookline/protocol'
import { ValidationError } from '../errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** A call that has passed `validate`. */
export interface ValidCall extends Fields {
  readonly messageId?: string | number | null
  readonly timestamp?: string | number | null
  readonly context?: object | null
}

const isText = (value: unknown) => typeof value === 'string'
const isExactId = (value: unknown) =>
  isText(value) || (typeof value === 'number' && !isUnsafeInteger(value))

/** A field, the check of its value, and the code for an invalid value. */
type Rule = readonly [string, (value: unknown) => boolean, IngestCodeName]

const FIELD_TYPES: readonly Rule[] = [
  ['messageId', isExactId, 'id_not_exact'],
  ['userId', isExactId, 'id_not_exact'],
  ['anonymousId', isExactId, 'id_not_exact'],
  ['groupId', isExactId, 'id_not_exact'],
  ['previousId', isExactId, 'id_not_exact'],
  ['event', isText, 'event_not_string'],
  ['name', isText, 'name_not_string'],
  ['category', isText, 'category_not_string'],
  ['properties', isJsonObject, 'properties_not_object'],
  ['traits', isJsonObject, 'traits_not_object'],
  ['context', isJsonObject, 'context_not_object'],
  ['integrations', isJsonObject, 'integrations_not_object'],
]

/** Throws a `ValidationError` for a call with an invalid field, or without a required one. */
export function validate(type: EventType, call: unknown): asserts call is ValidCall {
  if (!isJsonObject(call))
    throw new ValidationError('not_an_object', `A call of type ${type} requires an object.`)
  const fields: Fields = call
  for (const [name, isOfType, code] of FIELD_TYPES) {
    const value = fields[name]
    if (value === undefined || value === null) continue
    if (isOfType(value)) {
      const errorCode =
        code === 'id_not_exact' ? idErrorCode(`${value as string | number}`) : undefined
      if (errorCode === undefined) continue
      throw new ValidationError(
        errorCode,
        `${name} contains a control character or invalid Unicode.`,
      )
    }
    if (code !== 'id_not_exact') throw new ValidationError(code, `${name} has the wrong type.`)
    throw typeof value === 'number'
      ? new ValidationError(code, `JSON would round ${name}. Send it as a string.`)
      : new ValidationError('id_not_string', `${name} has the wrong type.`)
  }
  checkMessageId(fields)
  checkTimestamp(fields)
  const missing = missingIn(type, fields)
  if (missing)
    throw new ValidationError(
      missing[0],
      `A call of type ${type} requires a non-empty ${missing[1]}.`,
    )
}

function missingIn(type: EventType, call: Fields): readonly [IngestCodeName, string] | undefined {
  const has = (name: string) => (call[name] ?? '') !== ''
  if (type === 'alias') {
    return has('userId') && has('previousId') ? undefined : ['id_required', 'userId and previousId']
  }
  if (!has('userId') && !has('anonymousId')) {
    return ['no_user_anon_id', 'userId or anonymousId']
  }
  if (type === 'track' && !has('event')) return ['event_not_defined', 'event']
  if (type === 'group' && !has('groupId')) return ['id_required', 'groupId']
  return undefined
}

function checkMessageId({ messageId }: ValidCall): void {
  const limit = CALL_LIMITS.messageIdCharacters
  if (String(messageId ?? '').length > limit) {
    throw new ValidationError('message_id_too_long', `messageId is over ${limit} characters.`)
  }
}

/**
 * The service replaces an invalid timestamp with the current time, so an import of history would silently get wrong
 * times. A valid one is sent unchanged.
 */
function checkTimestamp({ timestamp }: ValidCall): void {
  if ((timestamp ?? '') !== '' && parseTimestamp(timestamp) === undefined) {
    throw new ValidationError(
      'timestamp_invalid',
      'timestamp must be a Date or an ISO 8601 string.',
    )
  }
}
