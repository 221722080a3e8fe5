import { CALL_LIMITS } from '@hookline/protocol'
import { ValidationError } from '../errors.ts'

/** A message as JSON, not affected by later changes to the objects of the call. */
export interface SerialisedMessage {
  readonly text: string
  /** The size of `text` in UTF-8. */
  readonly bytes: number
}

export type Fields = Record<string, unknown>

/**
 * Throws a `ValidationError` if JSON cannot represent the message or it exceeds the limits. Reads each value once. Ignores
 * a `toJSON` of the message itself. Replaces the objects in `message` with copies.
 * @param complete returns the context of the message, given a copy of the context of the call
 */
export function serialise(
  message: object,
  maxBytes: number,
  complete?: (context: object) => object,
): SerialisedMessage {
  const copy = new Copy(maxBytes).replaceIn(message as Fields)
  if (complete) copy['context'] = complete({ ...(copy['context'] as object) })
  const text = JSON.stringify(copy)
  const bytes = utf8Bytes(text)
  if (bytes > maxBytes) throw tooLarge(`over ${maxBytes}`)
  return { text, bytes }
}

/** The value to serialise: the result of `toJSON` if `value` has this method. */
export function jsonValueOf(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'bigint') return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value
}

const BOXES = [Number, String, Boolean]

/**
 * Copies a message into plain objects, as JSON.stringify would read it, but throws for values that JSON.stringify would
 * lose. Stops at the limits, so that it terminates for infinite objects.
 */
class Copy {
  readonly #maxBytes: number
  /** The objects that contain the current value. */
  readonly #ancestors: unknown[] = []
  /** The remaining bytes. */
  #room: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#room = maxBytes
  }

  /** Replaces the values of a shallow copy of `original` with copies. */
  replaceIn(copy: Fields, original: object = copy): Fields {
    this.#enter(original)
    for (const key of Object.keys(copy)) {
      const value = copy[key]
      if (value === undefined) continue
      this.#spend(key.length)
      // If `toJSON` returned the object itself, its own `toJSON` method is not data.
      const isMethod = key === 'toJSON' && typeof value === 'function'
      const json = isMethod ? undefined : this.#value(value, key)
      if (json !== value) copy[key] = json
    }
    this.#ancestors.pop()
    return copy
  }

  #object(object: object): Fields {
    return this.replaceIn({ ...object }, object)
  }

  #value(value: unknown, key: string): unknown {
    if (value === undefined || value === null) return value
    if (typeof value === 'string') {
      this.#spend(value.length)
      return value
    }
    if (typeof value === 'number' || typeof value === 'boolean') {
      this.#spend(1)
      if (!Number.isFinite(Number(value)))
        throw new ValidationError('number_not_finite', `${key} is ${value}.`)
      return value
    }
    if (value instanceof Date && Number.isNaN(Number(value))) {
      throw unrepresentableError(`${key} is ${String(value)}`)
    }
    const json = jsonValueOf(value, key)
    if (typeof json === 'object' && json !== null) return this.#ofObject(json, key)
    if (json !== value) return this.#value(json, key)
    throw unrepresentableError(`${key} is a ${typeof json}`)
  }

  #ofObject(value: object, key: string): unknown {
    if (Array.isArray(value)) return this.#array(value, key)
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === Object.prototype) return this.#object(value)
    // For JSON.rawJSON, which TypeScript's types lack.
    const { isRawJSON } = JSON as { isRawJSON?: (value: object) => boolean }
    if (isRawJSON?.(value)) {
      this.#value(JSON.parse(JSON.stringify(value)), key)
      return value
    }
    if (BOXES.some((box) => value instanceof box)) {
      return this.#value(value.valueOf(), key)
    }
    const hasEntries = value instanceof Map || value instanceof Set
    if (hasEntries || (prototype !== null && Object.keys(value).length === 0)) {
      throw unrepresentableError(`${key} is an object that JSON cannot represent, such as a Map`)
    }
    return this.#object(value)
  }

  #array(array: readonly unknown[], key: string): unknown[] {
    this.#enter(array)
    this.#spend(array.length)
    const copy = Array.from(array, (each) => this.#value(each, key) ?? null)
    this.#ancestors.pop()
    return copy
  }

  #enter(object: object): void {
    if (this.#ancestors.length === CALL_LIMITS.nestingLevels) {
      if (this.#ancestors.includes(object)) throw unrepresentableError('circular reference')
      throw new ValidationError('nested_too_deep', 'The call is nested too deeply.')
    }
    this.#spend(1)
    this.#ancestors.push(object)
  }

  #spend(bytes: number): void {
    this.#room -= bytes
    if (this.#room < 0) throw tooLarge(`over ${this.#maxBytes}`)
  }
}

/** The error for a value that JSON cannot represent, or for an exception from a `toJSON` or a getter of the program. */
export function unrepresentableError(reason: string, options?: ErrorOptions): ValidationError {
  return new ValidationError('invalid_json', `JSON cannot represent the call: ${reason}.`, options)
}

function tooLarge(size: string): ValidationError {
  return new ValidationError('message_too_large', `The call is ${size} bytes.`)
}

/** JSON.stringify escapes lone surrogates, so every surrogate here is half of a pair. */
function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    // Half of a pair that takes four bytes, or a character of two or three bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
