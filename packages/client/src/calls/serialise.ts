import { CALL_LIMITS } from '@hookline/protocol'
import { ValidationError } from '../errors.ts'

/** A message as JSON: later changes to the objects of the call do not change it. */
export interface SerialisedMessage {
  /** The JSON. */
  readonly text: string
  /** The size of `text` in UTF-8. */
  readonly bytes: number
}

export type Fields = Record<string, unknown>

/**
 * Throws a `ValidationError` if JSON cannot represent the message or it exceeds the limits. Reads each value once. A
 * `toJSON` of the message itself does not replace it. Replaces the objects in `message` by copies.
 * @param complete returns the context of the message, from the copy of that of the call
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
  if (bytes > maxBytes) throw tooLarge(`${bytes} of ${maxBytes}`)
  return { text, bytes }
}

/** The value that JSON has in place of `value`: that of `toJSON`, if it has this method. */
export function jsonValueOf(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'bigint') return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value
}

const BOXES = [Number, String, Boolean]

/**
 * Copies a message into plain objects, as JSON.stringify would read it, but refuses what JSON.stringify would lose. The
 * copy stops at the limits, so that an endless object takes no endless time.
 */
class Copy {
  readonly #maxBytes: number
  /** The objects around the value. */
  readonly #around: unknown[] = []
  /** How many bytes may follow at most. */
  #room: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#room = maxBytes
  }

  /** Replaces the values of an object, which is a copy already. `original`: what it was copied from. */
  replaceIn(copy: Fields, original: object = copy): Fields {
    this.#enter(original)
    for (const key of Object.keys(copy)) {
      const value = copy[key]
      if (value === undefined) continue
      this.#spend(key.length)
      // A method of an object whose `toJSON` returned itself.
      const isMethod = key === 'toJSON' && typeof value === 'function'
      const json = isMethod ? undefined : this.#value(value, key)
      if (json !== value) copy[key] = json
    }
    this.#around.pop()
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
        throw new ValidationError('number_not_finite', `${key} is ${value}`)
      return value
    }
    if (value instanceof Date && Number.isNaN(Number(value))) {
      throw unrepresentable(`${key} is ${String(value)}`)
    }
    const json = jsonValueOf(value, key)
    if (typeof json === 'object' && json !== null) return this.#ofObject(json, key)
    if (json !== value) return this.#value(json, key)
    throw unrepresentable(`${key} is a ${typeof json}`)
  }

  #ofObject(value: object, key: string): unknown {
    if (Array.isArray(value)) return this.#array(value, key)
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === Object.prototype) return this.#object(value)
    // Of JSON.rawJSON, which the types do not have yet.
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
      throw unrepresentable(`${key} is an object whose content JSON does not have, such as a Map`)
    }
    return this.#object(value)
  }

  #array(array: readonly unknown[], key: string): unknown[] {
    this.#enter(array)
    this.#spend(array.length)
    const copy = Array.from(array, (each) => this.#value(each, key) ?? null)
    this.#around.pop()
    return copy
  }

  #enter(object: object): void {
    if (this.#around.length === CALL_LIMITS.nestingLevels) {
      if (this.#around.includes(object)) throw unrepresentable('an object contains itself')
      throw new ValidationError('nested_too_deep', 'the call has too many levels')
    }
    this.#spend(1)
    this.#around.push(object)
  }

  #spend(bytes: number): void {
    this.#room -= bytes
    if (this.#room < 0) throw tooLarge(`over ${this.#maxBytes}`)
  }
}

/** The error for a value that JSON cannot represent, or for what a `toJSON` or a getter of the program throws. */
export function unrepresentable(reason: string, options?: ErrorOptions): ValidationError {
  return new ValidationError('invalid_json', `JSON cannot carry the call: ${reason}`, options)
}

function tooLarge(size: string): ValidationError {
  return new ValidationError('message_too_large', `the call has ${size} bytes`)
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
