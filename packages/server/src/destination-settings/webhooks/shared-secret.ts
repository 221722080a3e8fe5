import { isJsonObject } from '@hookline/protocol'
import { type Fault, fault } from '../../util/fault.ts'
import { isHidden } from './hidden.ts'

const MOST_CHARACTERS = 1024
const AT = '/sharedSecret'

/**
 * Parses the shared secret; `null` for none. If it is absent, or in its hidden form, the previous secret stays.
 */
export function parseSharedSecret(
  input: unknown,
  previous: string | null,
  faults: Fault[],
): string | null {
  if (input === undefined) return previous
  if (input === null || isHiddenAbsence(input)) return null
  if (isHidden(input) && previous !== null) return previous
  if (typeof input !== 'string') {
    const hint = 'Give a text, or null to send requests unsigned.'
    faults.push(fault(AT, 'wrong_type', 'sharedSecret must be a text or null.', hint))
    return null
  }
  const found = faultOf(input)
  if (found !== undefined) faults.push(found)
  return input
}

function faultOf(secret: string): Fault | undefined {
  if (secret === '') {
    const hint = 'Give null, or leave it out, to send requests unsigned.'
    return fault(AT, 'empty', 'sharedSecret must not be empty.', hint)
  }
  if (secret.length > MOST_CHARACTERS) {
    const hint = `Use at most ${MOST_CHARACTERS} characters; 32 random ones are plenty.`
    return fault(AT, 'too_long', 'sharedSecret is too long.', hint)
  }
  if (!secret.isWellFormed()) {
    const hint = 'Give whole Unicode characters: half a surrogate pair cannot be written as UTF-8.'
    return fault(AT, 'not_unicode', 'sharedSecret is not valid Unicode.', hint)
  }
  return undefined
}

function isHiddenAbsence(input: unknown): boolean {
  return isJsonObject(input) && input['set'] === false
}
