import {
  activeKeys,
  isJsonObject,
  LIMITS,
  parseTimestamp,
  SIGNATURES,
  type SigningKey,
  type WebhooksSettings,
} from '@hookline/protocol'
import { isPrivateKey, newPrivateKey, publicKeyOf } from '@hookline/protocol/ed25519'
import Type from 'typebox'
import { type FieldError, fieldError, unknownFields } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'
import { isHidden } from './hidden-values.ts'
import { parserOf } from './routing-settings.ts'

const MAX_KEYS = LIMITS.signingKeysPerDestination
const FIELDS = ['privateKey', 'publicKey', 'signsFrom', 'signsUntil']

const signature = Schema.oneOf(
  SIGNATURES,
  'What signs requests. secret: the secrets. ed25519: a key pair that Hookline generates, so that receivers need only its public key. both: the secrets and the key pair.',
)

export const signatureRequest = {
  signature: Type.Optional(signature),
  signingKeys: Type.Optional(
    Type.Unsafe({
      description:
        'The key pairs from an export with secrets, which replace the stored ones. Ignored without private keys.',
    }),
  ),
}

export const signatureResponse = {
  signature,
  signingKeys: Type.Optional(
    Type.Array(
      Type.Object({
        publicKey: Schema.text('whpk_ and the key in base64 (Standard Webhooks).'),
        signsFrom: Schema.nullable(Schema.timeOf('null if the key has signed from the start.')),
        signsUntil: Schema.nullable(Schema.timeOf('null while the key has no successor.')),
      }),
      { description: 'The Ed25519 key pairs, oldest first. Absent if there have never been any.' },
    ),
  ),
}

export interface SignatureContext {
  /** Milliseconds since the epoch. At least one key must sign at this time. */
  readonly now: number
  /** The parser appends to them. */
  readonly errors: FieldError[]
}

type SignatureSettings = Pick<WebhooksSettings, 'signature' | 'signingKeys'>

/** Validates the signature settings in a request at `now`. The first key pair is generated when it is needed. */
export function parseSignature(
  input: Readonly<Record<string, unknown>>,
  previous: SignatureSettings | undefined,
  { now, errors }: SignatureContext,
): SignatureSettings {
  const kind = parseKind(input['signature'], errors) ?? previous?.signature ?? 'secret'
  const stored = parseKeys(input['signingKeys'], previous?.signingKeys, { now, errors })
  const isKeyMissing = kind !== 'secret' && stored === undefined
  const signingKeys = isKeyMissing ? [{ privateKey: newPrivateKey() }] : stored
  return { ...(kind !== 'secret' && { signature: kind }), ...(signingKeys && { signingKeys }) }
}

const parseKind = parserOf('signature', SIGNATURES)

function parseKeys(
  input: unknown,
  previous: readonly SigningKey[] | undefined,
  { now, errors }: SignatureContext,
): readonly SigningKey[] | undefined {
  const isKept =
    input === undefined || (isHidden(input) && previous !== undefined) || isShown(input)
  if (isKept) return previous
  const hint = `Use the 1 to ${MAX_KEYS} keys from an export with secrets, or omit it: Hookline generates keys.`
  if (isHidden(input)) {
    const message = 'No signing keys are stored.'
    errors.push(fieldError('/signingKeys', 'hidden_value_unknown', message, hint))
    return previous
  }
  if (!Array.isArray(input) || input.length > MAX_KEYS || input.length === 0) {
    const message = `signingKeys must be a list of 1 to ${MAX_KEYS} keys.`
    errors.push(fieldError('/signingKeys', 'invalid_type', message, hint))
    return previous
  }
  const keys = input.flatMap((each, index) => parseKey(each, `/signingKeys/${index}`, errors) ?? [])
  if (keys.length === input.length) errors.push(...timeErrors(keys, now))
  return keys
}

function timeErrors(keys: readonly SigningKey[], now: number): readonly FieldError[] {
  const hint = 'Use the keys from an export with secrets, or omit them: Hookline generates keys.'
  const [first, last] = [keys[0]!, keys.at(-1)!]
  if (first !== last && first.privateKey === last.privateKey)
    return [fieldError('/signingKeys', 'invalid_key', 'The two keys must differ.', hint)]
  if (!isRotation(keys)) {
    const message =
      'The last key must have no signsUntil. With two keys, signsUntil of the first must not be before signsFrom of the second.'
    return [fieldError('/signingKeys', 'invalid_key_times', message, hint)]
  }
  if ((first.from ?? now) <= now) return []
  const message = 'No key signs now: signsFrom of the first key is in the future.'
  return [fieldError('/signingKeys/0/signsFrom', 'invalid_key_times', message, hint)]
}

/** Whether there is always a signing key once the first one has begun to sign. */
function isRotation(keys: readonly SigningKey[]): boolean {
  const [first, last] = [keys[0]!, keys.at(-1)!]
  if (last.until !== undefined) return false
  if (first === last) return true
  if (first.until === undefined) return false
  return (last.from ?? 0) <= first.until
}

/** Whether this is the list that the API returns. */
function isShown(input: unknown): boolean {
  return (
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((each) => isJsonObject(each) && 'publicKey' in each && !('privateKey' in each))
  )
}

function parseKey(input: unknown, pointer: string, errors: FieldError[]): SigningKey | undefined {
  const hint = 'Use a key from an export with secrets.'
  if (!isJsonObject(input)) {
    errors.push(fieldError(pointer, 'invalid_type', 'A key must be an object.', hint))
    return undefined
  }
  errors.push(...unknownFields(input, FIELDS, pointer))
  const { privateKey } = input
  if (typeof privateKey !== 'string' || !isPrivateKey(privateKey)) {
    const message = 'privateKey must be whsk_ followed by an Ed25519 key pair in base64.'
    errors.push(fieldError(`${pointer}/privateKey`, 'invalid_key', message, hint))
    return undefined
  }
  const from = parseTime(input['signsFrom'], `${pointer}/signsFrom`, errors)
  const until = parseTime(input['signsUntil'], `${pointer}/signsUntil`, errors)
  return {
    privateKey,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  }
}

function parseTime(input: unknown, pointer: string, errors: FieldError[]): number | undefined {
  if (input === undefined || input === null) return undefined
  const time = typeof input === 'string' ? parseTimestamp(input) : undefined
  const hint = 'Use a time such as 2026-11-22T21:20:00.000Z, or null.'
  const code = typeof input === 'string' ? 'invalid_format' : 'invalid_type'
  if (time === undefined) errors.push(fieldError(pointer, code, 'Invalid time.', hint))
  return time
}

/** The signature settings as the API returns them, without private keys. */
export function presentSignature({
  signature: kind = 'secret',
  signingKeys,
}: SignatureSettings): object {
  const shown = signingKeys?.map(presentKey).map(({ privateKey: _, ...key }) => key)
  return { signature: kind, ...(shown && { signingKeys: shown }) }
}

export function exportSignature(
  { signature: kind = 'secret', signingKeys }: SignatureSettings,
  withSecrets: boolean,
): object {
  const keys = withSecrets ? signingKeys?.map(presentKey) : { set: true }
  return { signature: kind, ...(signingKeys && { signingKeys: keys }) }
}

export function presentKey({ privateKey, from, until }: SigningKey) {
  return {
    privateKey,
    publicKey: publicKeyOf(privateKey),
    signsFrom: Schema.timeOrNull(from ?? null),
    signsUntil: Schema.timeOrNull(until ?? null),
  }
}

/**
 * The keys after a rotation: the new key signs after `leadMs`, and the current one for `overlapMs`
 * longer. A next key that does not sign yet, and a previous one that still does, are dropped; they
 * can only exist if the rotation is forced.
 */
export function rotatedKeys(
  settings: WebhooksSettings,
  { now, leadMs, overlapMs }: { now: number; leadMs: number; overlapMs: number },
): readonly SigningKey[] {
  const from = now + leadMs
  const [current] = activeKeys(settings, now)
  const until = from + overlapMs
  const previous = current === undefined || until <= now ? [] : [{ ...current, until }]
  return [...previous, { privateKey: newPrivateKey(), from }]
}
