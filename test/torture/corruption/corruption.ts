import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export const KINDS = [
  'bit flipped',
  'page zeroed',
  'sector zeroed',
  'garbage',
  'truncated',
  'emptied',
  'removed',
  'older copy',
  'page copied',
] as const
export type Kind = (typeof KINDS)[number]

export const FILES = [
  'hookline.db',
  'hookline.db-wal',
  'hookline.db-shm',
  'last-commit',
  'encryption-key',
  'admin-token',
  'hookline.lock',
] as const
export type FileName = (typeof FILES)[number]

/** Corruption of one file: the bytes from `from` to `to` are changed or missing. */
export interface Corruption {
  readonly kind: Kind
  readonly file: FileName
  readonly from: number
  readonly to: number
}

export interface CorruptionTarget {
  readonly folder: string
  /** An earlier copy of the folder. */
  readonly older: string
  readonly kind: Kind
  readonly file: FileName
}

const PAGE_BYTES = 4096
const SECTOR_BYTES = 512

/** Corrupts a random range of one file. Returns `undefined` if this kind of corruption is impossible. */
export function corrupt(
  { folder, older, kind, file }: CorruptionTarget,
  random: () => number,
): Corruption | undefined {
  const path = join(folder, file)
  if (!existsSync(path)) return undefined
  const bytes = statSync(path).size
  if (kind === 'removed') rmSync(path)
  else if (kind === 'older copy') {
    if (!existsSync(join(older, file))) return undefined
    copyFileSync(join(older, file), path)
  } else {
    const range = change(path, { kind, bytes }, random)
    return range && { kind, file, ...range }
  }
  return { kind, file, from: 0, to: bytes }
}

function change(
  path: string,
  { kind, bytes }: { readonly kind: Kind; readonly bytes: number },
  random: () => number,
): { readonly from: number; readonly to: number } | undefined {
  const below = (limit: number): number => Math.floor(random() * limit)
  const block = (size: number): number => below(Math.ceil(bytes / size)) * size
  const handle = openSync(path, 'r+')
  const write = (from: number, content: Buffer) => {
    writeSync(handle, content, 0, content.length, from)
    return { from, to: from + content.length }
  }
  try {
    if (kind === 'garbage')
      return write(
        below(bytes + 1),
        Buffer.from(Array.from({ length: 1 + below(4096) }, () => below(256))),
      )
    if (bytes === 0) return undefined
    const content = readFileSync(path)
    if (kind === 'bit flipped') {
      const at = below(bytes)
      return write(at, Buffer.from([content[at]! ^ (1 << below(8))]))
    }
    if (kind === 'page copied') {
      if (bytes < 2 * PAGE_BYTES) return undefined
      const source = block(PAGE_BYTES)
      return write(block(PAGE_BYTES), content.subarray(source, source + PAGE_BYTES))
    }
    if (kind === 'truncated' || kind === 'emptied') {
      const from = kind === 'emptied' ? 0 : below(bytes)
      ftruncateSync(handle, from)
      return { from, to: bytes }
    }
    const size = kind === 'page zeroed' ? PAGE_BYTES : SECTOR_BYTES
    const from = block(size)
    return write(from, Buffer.alloc(Math.min(size, bytes - from)))
  } finally {
    closeSync(handle)
  }
}
