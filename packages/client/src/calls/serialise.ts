import { CALL_LIMITS, isDeeperThan, type Json } from '@hookline/protocol'
import { ValidationError } from '../errors.ts'

/** A message as JSON: later changes to the objects of the call do not change it. */
export interface SerialisedMessage {
  /** The JSON. */
  readonly text: string
  /** The size of `text` in UTF-8. */
  readonly bytes: number
}

/** Throws a `ValidationError` if JSON cannot represent the message or it exceeds the limits. */
export function serialise(message: object, maxBytes: number): SerialisedMessage {
  const text = stringify(message)
  const { bytes, openings } = measure(text)
  if (bytes > maxBytes) {
    throw new ValidationError('message_too_large', `the call has ${bytes} of ${maxBytes} bytes`)
  }
  const levels = CALL_LIMITS.nestingLevels
  if (openings > levels && isDeeperThan(JSON.parse(text) as Json, levels)) {
    throw nestedTooDeep()
  }
  return { text, bytes }
}

function stringify(message: object): string {
  try {
    const text = JSON.stringify(message)
    // JSON.stringify writes NaN and Infinity as null: values are checked one by one only if the text contains null.
    return text.includes('null') ? JSON.stringify(message, refuseNonFinite) : text
  } catch (cause) {
    if (cause instanceof RangeError) throw nestedTooDeep(cause)
    const { message: reason } = cause as Error
    throw new ValidationError('invalid_json', `JSON cannot carry the call: ${reason}`, { cause })
  }
}

/** A replacer for JSON.stringify. `value` is null for an invalid Date; `this[key]` is still the Date itself. */
function refuseNonFinite(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key]
  const isLost =
    value === null ? original instanceof Date : typeof value === 'number' && !Number.isFinite(value)
  if (isLost) throw new TypeError(`${key} is ${String(original)}`)
  return value
}

function nestedTooDeep(cause?: unknown): ValidationError {
  return new ValidationError('nested_too_deep', 'the call has too many levels', { cause })
}

interface Measures {
  /** The size in UTF-8. */
  readonly bytes: number
  /** The number of opening brackets and braces, those inside strings included: at least the number of levels. */
  readonly openings: number
}

/** JSON.stringify escapes lone surrogates, so every surrogate here is half of a pair. */
function measure(text: string): Measures {
  let bytes = text.length
  let openings = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0x7b || unit === 0x5b) openings++
    // Half of a pair that takes four bytes, or a character of two or three bytes.
    else if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return { bytes, openings }
}
