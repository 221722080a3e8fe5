import { isJsonObject } from '@hookline/protocol'
import { type Fault, fault } from '../../util/fault.ts'
import { isHidden } from './hidden.ts'

const MOST_CHARACTERS = 1024
const AT = '/sharedSecret'

/** What follows is the key as base64 (Standard Webhooks 1.0.0). */
const BASE64_PREFIX = 'whsec_'

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
  if (secret.startsWith(BASE64_PREFIX) && !isBase64(secret.slice(BASE64_PREFIX.length))) {
    const hint =
      'Give base64 with its padding after whsec_, or a secret that does not begin with whsec_.'
    return fault(AT, 'not_base64', 'sharedSecret begins with whsec_, and has no base64 key.', hint)
  }
  return undefined
}

/** Decoders of other languages refuse what Node reads leniently, and an empty key signs nothing. */
function isBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text
}

function isHiddenAbsence(input: unknown): boolean {
  return isJsonObject(input) && input['set'] === false
}
