import leven from 'leven'

/** An error in a document that a client sent, with a hint how to correct it. It quotes no value: it may be a secret. */
export interface Fault {
  /** The place of the error as a JSON Pointer (RFC 6901); `''` is the whole document. */
  readonly pointer: string
  /** The kind of error, for programs. */
  readonly code: string
  /** What is wrong, in one sentence. */
  readonly message: string
  /** How to correct it. */
  readonly hint: string
}

/** Makes a fault. */
export function fault(pointer: string, code: string, message: string, hint: string): Fault {
  return { pointer, code, message, hint }
}

/** The fault of a value that is missing or has the wrong type. */
export function typeFault(
  value: unknown,
  pointer: string,
  { name, type }: { readonly name: string; readonly type: string },
  hint: string,
): Fault {
  if (value === undefined) return fault(pointer, 'required', `${name} is missing.`, hint)
  return fault(pointer, 'wrong_type', `${name} must be ${type}.`, hint)
}

/** The same faults, with pointers that begin at `at`. */
export function faultsBelow(at: string, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((each) => ({ ...each, pointer: at + each.pointer }))
}

/** The JSON Pointer (RFC 6901) made of these keys and indexes: `/webhooks/0/url`. Without any, the whole document. */
export function jsonPointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${escaped(String(step))}`).join('')
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

// A longer name is hardly a typing error, and comparing it takes long.
const LONGEST_COMPARED = 64

/** A fault for each field of `object` that is not in `known`, with a suggestion. `at` is the pointer to `object`. */
export function unknownFields(object: object, known: readonly string[], at = ''): Fault[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const pointer = at + jsonPointer(name)
      return fault(pointer, 'unknown_field', 'There is no such field.', suggestion(name, known))
    })
}

function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'Leave it out: nothing is allowed here.'
  const near = known.find((candidate) => isTypo(name, candidate))
  return near === undefined
    ? `Leave it out. The fields are ${known.join(', ')}.`
    : `Did you mean ${near}?`
}

function isTypo(name: string, known: string): boolean {
  if (name.length > LONGEST_COMPARED) return false
  const most = Math.max(2, Math.floor(known.length / 3))
  return leven(name.toLowerCase(), known.toLowerCase()) <= most
}
