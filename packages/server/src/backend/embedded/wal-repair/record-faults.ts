import { isUtf8 } from 'node:buffer'
import { bytesOfType } from '../file-format/b-tree-format.ts'
import { readVarint } from './varint.ts'

const FIRST_TEXT = 13

/** How many things in a row cannot be right. `local` is what the page has of it. */
export function recordFaults(local: Buffer, payloadBytes: number): number {
  const [headerBytes, first] = readVarint(local, 0)
  if (headerBytes < first || headerBytes > payloadBytes) return 100
  // The types themselves go on in another page.
  if (headerBytes > local.length) return 0
  let faults = 0
  let value = headerBytes
  let at = first
  while (at < headerBytes) {
    const [type, next] = readVarint(local, at)
    const bytes = bytesOfType(type)
    if (bytes === undefined) return 100
    const isText = type >= FIRST_TEXT && type % 2 === 1
    // The end of a text that goes on in another page may be in the middle of a character.
    if (isText && value + bytes <= local.length)
      faults += textFaults(local.subarray(value, value + bytes))
    value += bytes
    at = next
  }
  return at === headerBytes && value === payloadBytes ? faults : faults + 100
}

/** Control characters are no fault by themselves, but rare. */
function textFaults(text: Buffer): number {
  let faults = isUtf8(text) ? 0 : 10
  for (const byte of text) if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) faults++
  return faults
}
