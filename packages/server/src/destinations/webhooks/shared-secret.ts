import { isJsonObject } from '@hookline/protocol'
import { type Fault, fault } from '../../util/fault.ts'
import { isHidden } from './hidden.ts'

const MOST_CHARACTERS = 1024
const AT = '/sharedSecret'

/**
 * The shared secret that `given` asks for, or `null` for none. Absent, or given back as it was shown,
 * it stays what it was.
 */
export function parseSharedSecret(
  given: unknown,
  previous: string | null,
  faults: Fault[],
): string | null {
  if (given === undefined) return previous
  if (given === null || isHiddenAbsence(given)) return null
  if (isHidden(given) && previous !== null) return previous
  if (typeof given !== 'string') {
    const hint = 'Give a text, or null to send requests unsigned.'
    faults.push(fault(AT, 'wrong_type', 'sharedSecret must be a text or null.', hint))
    return null
  }
  const found = faultOf(given)
  if (found !== undefined) faults.push(found)
  return given
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

function isHiddenAbsence(given: unknown): boolean {
  return isJsonObject(given) && given['set'] === false
}
