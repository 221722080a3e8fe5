import {
  type Destination,
  formatTimestamp,
  isJsonObject,
  type PreviousSecret,
} from '@hookline/protocol'
import { isMeantAsKey } from '@hookline/protocol/ed25519'
import { keyBytes } from '@hookline/protocol/signature'
import Type from 'typebox'
import { countText } from '../../util/count-text.ts'
import { type FieldError, fieldError, jsonPointer } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'
import { isHidden } from './hidden-values.ts'

const MAX_CHARACTERS = 1024
/** Standard Webhooks 1.0.0: a secret has 24 to 64 bytes. */
const MIN_BYTES = 24

export const secretSchema = {
  type: ['string', 'null', 'object'],
  minLength: 1,
  maxLength: MAX_CHARACTERS,
}

export const SecretResponse = Type.Object({
  set: Type.Boolean(),
  last4: Type.Optional(Type.String()),
  previousUntil: Type.Optional(
    Schema.timeOf('Until then, webhook-signature also has a signature from the previous secret.'),
  ),
})

/** A secret of a destination or a webhook. */
interface StoredSecret {
  readonly secret: string | null
  readonly previousSecret?: PreviousSecret | undefined
}

/**
 * Parses the secret at `pointer`. A hidden one stands for the stored one.
 * Unlike a rotation, a new secret ends the validity of the previous one immediately.
 */
export function parseSecret(
  input: unknown,
  pointer: string,
  stored: StoredSecret,
  errors: FieldError[],
): StoredSecret {
  const secret = parsedSecret(input, pointer, stored.secret, errors)
  return secret !== null && secret === stored.secret ? stored : { secret }
}

function parsedSecret(
  input: unknown,
  pointer: string,
  stored: string | null,
  errors: FieldError[],
): string | null {
  const isHiddenAbsence = isJsonObject(input) && input['set'] === false
  if (input === undefined || input === null || isHiddenAbsence) return null
  if (isHidden(input) && stored !== null) return stored
  if (typeof input === 'string') {
    errors.push(...secretErrors(input, pointer))
    return input
  }
  const name = nameIn(pointer)
  if (isHidden(input)) {
    const hint = 'Send the secret itself, or null for none.'
    errors.push(fieldError(pointer, 'hidden_value_unknown', `${name} has no stored value.`, hint))
  } else {
    const hint = 'Use a string, or null for none.'
    errors.push(fieldError(pointer, 'invalid_type', `${name} must be a string or null.`, hint))
  }
  return null
}

/** Precedes a key in base64 (Standard Webhooks 1.0.0). */
const BASE64_PREFIX = 'whsec_'

/** Validates a new secret at `pointer` in the request. */
export function secretErrors(secret: string, pointer: string): readonly FieldError[] {
  const name = nameIn(pointer)
  if (secret === '') {
    const hint = 'Use null for none.'
    return [fieldError(pointer, 'empty', `${name} must not be empty.`, hint)]
  }
  if (secret.length > MAX_CHARACTERS) {
    const hint = `Use at most ${MAX_CHARACTERS} characters; 32 random ones are enough.`
    return [fieldError(pointer, 'too_long', `${name} is too long.`, hint)]
  }
  if (secret.startsWith(BASE64_PREFIX) && !isBase64(secret.slice(BASE64_PREFIX.length))) {
    const message = `${name} begins with whsec_, but the rest is not base64.`
    const hint = 'Use padded base64 after whsec_, or a secret without this prefix.'
    return [fieldError(pointer, 'not_base64', message, hint)]
  }
  if (!secret.startsWith(BASE64_PREFIX) && /^\W*whsec_/i.test(secret)) {
    const message = `In ${name}, whsec_ must be lower case and at the very beginning.`
    const hint = 'Remove whitespace, quotes or a byte order mark before whsec_, and use lower case.'
    return [fieldError(pointer, 'invalid_prefix', message, hint)]
  }
  if (!isMeantAsKey(secret)) return []
  const message = `${name} is an Ed25519 key, not a secret.`
  const hint =
    'Use a secret that begins with whsec_. For Ed25519, set signature to ed25519 or both: Hookline generates the keys.'
  return [fieldError(pointer, 'not_a_secret', message, hint)]
}

function nameIn(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1)
}

/** Stricter than Node, as receivers are: padding is required, and the key must not be empty. */
function isBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text
}

export function presentSecret({ secret, previousSecret }: StoredSecret): object {
  if (secret === null) return { set: false }
  const previousUntil = previousSecret && formatTimestamp(previousSecret.until)
  return { ...hide(secret), ...(previousUntil && { previousUntil }) }
}

/** The secret in an exported document. Without secrets, even `last4` is omitted: the document may be published. */
export function exportSecret(secret: string | null, withSecrets: boolean): string | object | null {
  return withSecrets || secret === null ? secret : { set: true }
}

/** Shows the last four characters of a secret, unless that would reveal too much of a short one. */
function hide(secret: string): object {
  return secret.length < 12 ? { set: true } : { set: true, last4: secret.slice(-4) }
}

/**
 * A warning for each short secret.
 * @param at the pointer to the destination
 */
export function secretWarnings({ settings }: Destination, at = ''): readonly FieldError[] {
  const { sharedSecret, webhooks, signature } = settings
  if (signature === 'ed25519') return []
  const secrets = [
    { pointer: jsonPointer('settings', 'sharedSecret'), secret: sharedSecret },
    ...webhooks.map(({ secret = null }, index) => ({
      pointer: jsonPointer('settings', 'webhooks', index, 'secret'),
      secret,
    })),
  ]
  return secrets.flatMap(({ pointer, secret }) => {
    const bytes = secret === null ? MIN_BYTES : keyBytes(secret).length
    if (bytes >= MIN_BYTES) return []
    const message = `The secret has only ${countText(bytes, 'byte')}, so it may be guessed.`
    const hint = `Use at least ${MIN_BYTES} random bytes, for example from \`hookline secrets generate\`.`
    return [fieldError(at + pointer, 'short_secret', message, hint)]
  })
}
