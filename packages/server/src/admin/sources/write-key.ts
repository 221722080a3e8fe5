import type { WriteKey } from '@hookline/protocol'
import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 32

/** A new write key: `wk_` and 190 random bits in letters and digits. */
export function newWriteKey(createdAt: number): WriteKey {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!)
  return { key: `wk_${characters.join('')}`, createdAt }
}
