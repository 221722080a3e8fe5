import leven from 'leven'

/** An error in a client's document. Never quotes the value, which may be a secret. */
export interface FieldError {
  /** JSON Pointer (RFC 6901); `''` is the whole document. */
  readonly pointer: string
  readonly code: string
  readonly message: string
  /** How to correct it. */
  readonly hint: string
}

export function fieldError(
  pointer: string,
  code: string,
  message: string,
  hint: string,
): FieldError {
  return { pointer, code, message, hint }
}

/** The error for a value that is missing or has the wrong type. */
export function typeError(
  value: unknown,
  pointer: string,
  { name, type }: { readonly name: string; readonly type: string },
  hint: string,
): FieldError {
  if (value === undefined) return fieldError(pointer, 'required', `${name} is missing.`, hint)
  return fieldError(pointer, 'invalid_type', `${name} must be ${type}.`, hint)
}

/** Prefixes the pointers with `at`. */
export function errorsBelow(at: string, errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((each) => ({ ...each, pointer: at + each.pointer }))
}

/** A JSON Pointer (RFC 6901), such as `/webhooks/0/url`. */
export function jsonPointer(...steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
}

/** The maximum length of a name that is compared with the known names: comparing longer ones is slow. */
const MAX_COMPARED = 64

/** An error for each unknown field of `object`, with a suggestion. `at` is the pointer to `object`. */
export function unknownFields(object: object, known: readonly string[], at = ''): FieldError[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const pointer = at + jsonPointer(name)
      return fieldError(pointer, 'unknown_field', 'Unknown field.', suggestion(name, known))
    })
}

function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'Omit it: this object has no fields.'
  const near = known.find((candidate) => isTypo(name, candidate))
  return near === undefined
    ? `Omit it. Allowed fields: ${known.join(', ')}.`
    : `Did you mean ${near}?`
}

function isTypo(name: string, known: string): boolean {
  if (name.length > MAX_COMPARED) return false
  const maxDistance = Math.max(2, Math.floor(known.length / 3))
  return leven(name.toLowerCase(), known.toLowerCase()) <= maxDistance
}
