import { crc32 } from 'node:zlib'

/** The reason for quarantining a corrupt event. */
export const CHECKSUM_MISMATCH = 'Checksum mismatch: the event was changed after it was stored.'

/** Checksum of an event's columns and body. Stored with the event and verified on every read. */
export function checksumOf(columns: readonly (string | number | null)[], body: Uint8Array): number {
  return crc32(body, crc32(columns.join('\n')))
}
