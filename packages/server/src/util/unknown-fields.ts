import leven from 'leven'
import { type Fault, fault } from './fault.ts'
import { jsonPointer } from './json-pointer.ts'

// Longer names are no slip of the finger, and comparing them costs time.
const LONGEST_COMPARED = 64

/** A fault for each field of `object` that is not `known`, with a suggestion. `at` points to the object. */
export function unknownFields(object: object, known: readonly string[], at = ''): Fault[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const pointer = at + jsonPointer(name)
      return fault(pointer, 'unknown_field', 'There is no such field.', suggestion(name, known))
    })
}

function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'Leave it out: no fields are taken here.'
  const near = known.find((candidate) => isSlip(name, candidate))
  return near === undefined
    ? `Leave it out. The fields are ${known.join(', ')}.`
    : `Did you mean ${near}?`
}

function isSlip(name: string, known: string): boolean {
  if (name.length > LONGEST_COMPARED) return false
  const most = Math.max(2, Math.floor(known.length / 3))
  return leven(name.toLowerCase(), known.toLowerCase()) <= most
}
