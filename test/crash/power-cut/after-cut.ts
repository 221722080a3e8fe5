import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'

/** The unit that a disk writes atomically. */
const SECTOR_BYTES = 512
const CHUNK_BYTES = 256 * 1024

export interface Versions {
  /** The file as the killed process left it. */
  readonly live: string
  /** The synced content. The file may not exist. */
  readonly synced: string
  /** Decides whether one unsynced change has reached the disk. */
  readonly keeps: () => boolean
}

/** Makes `file` from the synced content and the unsynced sectors that `keeps` selects. Returns the number of lost bytes. */
export function writeAfterCut(file: string, { live, synced, keeps }: Versions): number {
  const [liveBytes, syncedBytes] = [sizeOf(live), sizeOf(synced)]
  const bytes = keeps() ? liveBytes : syncedBytes
  const target = openSync(file, 'wx')
  let forgotten = 0
  try {
    for (const { at, before, after } of chunks(live, synced)) {
      forgotten += chooseSectors(after, before, keeps)
      writeSync(target, before, 0, before.length, at)
    }
    ftruncateSync(target, bytes)
  } finally {
    closeSync(target)
  }
  return forgotten
}

export function equalFiles(first: string, second: string): boolean {
  if (sizeOf(first) !== sizeOf(second)) return false
  return chunks(first, second).every(({ before, after }) => before.equals(after))
}

interface Chunk {
  readonly at: number
  readonly before: Buffer
  readonly after: Buffer
}

/** Both versions of each part of a file, padded with zeros. */
function* chunks(live: string, synced: string): Generator<Chunk> {
  const size = Math.max(sizeOf(live), sizeOf(synced))
  for (let at = 0; at < size; at += CHUNK_BYTES)
    yield { at, before: read(synced, at), after: read(live, at) }
}

/** Copies the kept sectors of `after` into `before`. Returns the number of bytes in other differing sectors. */
function chooseSectors(after: Buffer, before: Buffer, keeps: () => boolean): number {
  if (after.equals(before)) return 0
  let forgotten = 0
  for (let at = 0; at < before.length; at += SECTOR_BYTES) {
    const end = at + SECTOR_BYTES
    if (after.compare(before, at, end, at, end) === 0) continue
    if (keeps()) after.copy(before, at, at, end)
    else forgotten += SECTOR_BYTES
  }
  return forgotten
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

function read(file: string, at: number): Buffer {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  if (!existsSync(file)) return buffer
  const handle = openSync(file, 'r')
  try {
    readSync(handle, buffer, 0, CHUNK_BYTES, at)
  } finally {
    closeSync(handle)
  }
  return buffer
}
