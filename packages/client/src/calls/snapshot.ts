import { isDeeperThan, type Json, LIMITS } from '@hookline/protocol'
import { ValidationError } from '../errors.ts'

/** A message as it was when the call was made. */
export interface Snapshot {
  /** Its JSON. */
  readonly text: string
  /** The size of that in UTF-8. */
  readonly bytes: number
}

/** Serialises a message. Throws a `ValidationError` for one that JSON cannot carry, or that is over the limits. */
export function snapshotOf(message: object, maxBytes: number): Snapshot {
  const text = serialise(message)
  const { bytes, openings } = measure(text)
  if (bytes > maxBytes) {
    throw new ValidationError('message_too_large', `the call has ${bytes} of ${maxBytes} bytes`)
  }
  const levels = LIMITS.nestingLevels
  if (openings > levels && isDeeperThan(JSON.parse(text) as Json, levels)) {
    throw nestedTooDeep()
  }
  return { text, bytes }
}

function serialise(message: object): string {
  try {
    const text = JSON.stringify(message)
    // JSON.stringify makes null of what is no number; only then is it worth looking at each value.
    return text.includes('null') ? JSON.stringify(message, refuseNoNumber) : text
  } catch (cause) {
    if (cause instanceof RangeError) throw nestedTooDeep(cause)
    const { message: reason } = cause as Error
    throw new ValidationError('invalid_json', `JSON cannot carry the call: ${reason}`, { cause })
  }
}

function refuseNoNumber(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key]
  const isLost =
    value === null ? given instanceof Date : typeof value === 'number' && !Number.isFinite(value)
  if (isLost) throw new TypeError(`${key} is ${String(given)}`)
  return value
}

function nestedTooDeep(cause?: unknown): ValidationError {
  return new ValidationError('nested_too_deep', 'the call has too many levels', { cause })
}

interface Measures {
  /** The size in UTF-8. */
  readonly bytes: number
  /** Brackets and braces that open, those in texts included: it is not nested deeper than that. */
  readonly openings: number
}

/** Lone surrogates need no thought: JSON.stringify escapes them. */
function measure(text: string): Measures {
  let bytes = text.length
  let openings = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0x7b || unit === 0x5b) openings++
    // Half of a pair that takes four bytes, or a character of two or three.
    else if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return { bytes, openings }
}
