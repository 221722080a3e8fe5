import { join } from 'node:path'
import { readIfExists, writeDurably } from '../../../util/durable-file.ts'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { OwnKeyName, OwnKeys } from '../../nodes.ts'

export class EncryptionKeyMismatchError extends Error {
  override readonly name = 'EncryptionKeyMismatchError'
}

export const KEY_FILE = 'encryption-key'

/**
 * The box of the `configured` keys, or else the folder's. If there are none and `used` is empty, writes a new key to the folder.
 * @throws {EncryptionKeyMismatchError} if a key is invalid, or if one in `used` is missing
 */
export function secretBoxOf(
  dataDir: string,
  configured: Redacted | undefined,
  used: ReadonlySet<string>,
): SecretBox {
  const file = join(dataDir, KEY_FILE)
  const text =
    configured?.reveal() ??
    readIfExists(file) ??
    (used.size === 0 ? keepKey(file, SecretBox.newKey()) : '')
  const keys = SecretBox.keysIn(text)
  const where = configured === undefined ? file : 'HOOKLINE_ENCRYPTION_KEY'
  if (keys === undefined) throw mismatch(`No valid key found in ${where}`, used, file)
  const box = new SecretBox(keys)
  if ([...used].some((id) => !box.has(id)))
    throw mismatch(`Wrong key in ${where} (${box.keyId})`, used, file)
  return box
}

/** A box that has the `configured` keys and the folder's, and seals with the key in use. @throws {EncryptionKeyMismatchError} */
export function existingSecretBox(
  dataDir: string,
  configured: Redacted | undefined,
  used: ReadonlySet<string>,
): SecretBox {
  const texts = [configured?.reveal(), readIfExists(join(dataDir, KEY_FILE))]
  const keys = texts.flatMap((text) => (text === undefined ? [] : (SecretBox.keysIn(text) ?? [])))
  const isUsed = (key: Buffer): boolean => used.has(new SecretBox([key]).keyId)
  const sorted = [...keys.filter(isUsed), ...keys.filter((key) => !isUsed(key))]
  const box = sorted.length === 0 ? undefined : new SecretBox(sorted)
  if (box === undefined || [...used].some((id) => !box.has(id)))
    return secretBoxOf(dataDir, configured, used)
  return box
}

export const KEY_FILES: Readonly<Record<OwnKeyName, string>> = { receipts: 'receipt-key' }

/** Keys in files beside the database, readable by their owner only. */
export function fileKeys(dataDir: string): OwnKeys {
  return {
    async keyOf(name, make) {
      const file = join(dataDir, KEY_FILES[name])
      return readIfExists(file) ?? keepKey(file, make())
    },
  }
}

function keepKey(file: string, key: string): string {
  writeDurably(file, key)
  return key
}

function mismatch(
  found: string,
  used: ReadonlySet<string>,
  file: string,
): EncryptionKeyMismatchError {
  const ids = [...used].join(', ')
  return new EncryptionKeyMismatchError(
    `${found}; the secrets in the database were encrypted with ${ids || 'another key'}. ` +
      `Restore ${file} from a backup, or set HOOKLINE_ENCRYPTION_KEY to that key. ` +
      'To change the key, set HOOKLINE_ENCRYPTION_KEY to both, the new one first, separated by a comma.',
  )
}
