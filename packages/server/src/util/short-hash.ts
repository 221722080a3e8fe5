import { createHash } from 'node:crypto'

/** 96 bits of SHA-256 in 16 characters: practically unique among all users. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
