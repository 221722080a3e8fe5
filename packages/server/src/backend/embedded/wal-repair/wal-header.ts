import {
  addBytes,
  addWords,
  areEqual,
  type Checksum,
  NO_CHECKSUM,
  removeWords,
  wordsBetween,
} from './wal-checksum.ts'
import { checksumAt, HEADER_BYTES, type WalFrame } from './wal-frame.ts'

/** With the lowest bit set, the words of the checksums are big-endian. */
const MAGIC = 0x377f0682
const VERSION = 3_007_000

export interface Salts {
  readonly salt1: number
  readonly salt2: number
}

export interface WalHeader extends Salts {
  readonly pageBytes: number
  readonly isBigEndian: boolean
  /** How often the log was begun anew. SQLite makes no use of it. */
  readonly sequence: number
  readonly checksum: Checksum
}

/** The header in `bytes`, where its checksum fits. */
export function parseHeader(bytes: Buffer): WalHeader | undefined {
  const [magic, version, pageBytes, sequence, salt1, salt2] = wordsOf(bytes, true)
  if ((magic! & ~1) >>> 0 !== MAGIC || version !== VERSION) return undefined
  const header = withChecksum({
    pageBytes: pageBytes! >>> 0,
    isBigEndian: (magic! & 1) === 1,
    sequence: sequence!,
    salt1: salt1! >>> 0,
    salt2: salt2! >>> 0,
  })
  return areEqual(header.checksum, checksumAt(viewOf(bytes), 24)) ? header : undefined
}

/**
 * The header that `bytes` had. All is known of it but the sequence and the order of the bytes: they follow from a checksum
 * that is still there, the one in the header or the one of the first frame. `undefined` where neither fits.
 */
export function solveHeader(
  bytes: Buffer,
  firstFrame: WalFrame,
  known: Salts & { pageBytes: number },
): WalHeader | undefined {
  for (const isBigEndian of [false, true]) {
    const needed = removeWords(firstFrame.checksum, firstFrame.words(isBigEndian))
    // The first frame goes first: where it is whole, it is right.
    for (const checksum of [needed, checksumAt(viewOf(bytes), 24)]) {
      const header = solveFor(checksum, { ...known, isBigEndian })
      if (header !== undefined) return header
    }
  }
  return undefined
}

function solveFor(
  checksum: Checksum,
  known: Omit<WalHeader, 'sequence' | 'checksum'>,
): WalHeader | undefined {
  const words = wordsOf(headerBytes({ ...known, sequence: 0 }), known.isBigEndian)
  const before = addWords(NO_CHECKSUM, words.subarray(0, 2))
  const after = removeWords(checksum, words.subarray(4, 6))
  const [pageBytes, sequence] = wordsBetween(before, after)
  if (pageBytes !== words[2]) return undefined
  const solved = Buffer.alloc(4)
  new DataView(solved.buffer, solved.byteOffset).setInt32(0, sequence, !known.isBigEndian)
  return { ...known, sequence: solved.readInt32BE(), checksum }
}

export function withChecksum(known: Omit<WalHeader, 'checksum'>): WalHeader {
  const view = viewOf(headerBytes(known))
  const { isBigEndian } = known
  return { ...known, checksum: addBytes(NO_CHECKSUM, view, { from: 0, to: 24, isBigEndian }) }
}

/** The header as it is stored; without a checksum, its last 8 bytes are zero. */
export function headerBytes(header: Omit<WalHeader, 'checksum'> & Partial<WalHeader>): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const numbers = [
    MAGIC | Number(header.isBigEndian),
    VERSION,
    header.pageBytes,
    header.sequence,
    header.salt1,
    header.salt2,
    header.checksum?.first ?? 0,
    header.checksum?.second ?? 0,
  ]
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number | 0, index * 4)
  return bytes
}

function wordsOf(bytes: Buffer, isBigEndian: boolean): Int32Array {
  const view = viewOf(bytes)
  return Int32Array.from({ length: 6 }, (_, word) => view.getInt32(word * 4, !isBigEndian))
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
