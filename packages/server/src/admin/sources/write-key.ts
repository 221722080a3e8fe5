import { formatTimestamp, type WriteKey } from '@hookline/protocol'
import { randomInt } from 'node:crypto'
import Type from 'typebox'
import type { KeyUses } from '../../backend/catalog.ts'
import { nullable, time } from '../api/schema-parts.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 32

/** A new write key: `wk_` and 190 random bits in letters and digits. */
export function newWriteKey(createdAt: number): WriteKey {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!)
  return { key: `wk_${characters.join('')}`, createdAt }
}

/** A write key as the API shows it. */
export const WriteKeyResponse = Type.Object({
  key: Type.String(),
  createdAt: time,
  lastUsedAt: nullable({ ...time, description: 'To the minute; null if the key was never used.' }),
})

/** The write key as the API shows it. It is not a secret: web pages that send events contain it. */
export function presentWriteKey(
  { key, createdAt }: WriteKey,
  keyUses: Pick<KeyUses, 'lastUsedAt'>,
): object {
  const usedAt = keyUses.lastUsedAt(key)
  const lastUsedAt = usedAt === undefined ? null : formatTimestamp(usedAt)
  return { key, createdAt: formatTimestamp(createdAt), lastUsedAt }
}
