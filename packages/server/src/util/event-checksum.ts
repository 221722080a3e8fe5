import { crc32 } from 'node:zlib'

/** The reason to quarantine an event that was changed where it was stored. */
export const CHECKSUM_MISMATCH = 'Its checksum does not match: it was changed after it was stored.'

/**
 * The checksum of an event: of its columns and its body. It is stored with the event and compared whenever the event is read,
 * so that a changed byte is found before the event is sent.
 */
export function checksumOf(columns: readonly (string | number | null)[], body: Uint8Array): number {
  return crc32(body, crc32(columns.join('\n')))
}
