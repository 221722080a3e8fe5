import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Failure } from '../failure.ts'

/** Detects changes to a file. */
export interface Fingerprint {
  readonly bytes: number
  /** SHA-256, in hex, of its first 64 KiB. */
  readonly startSha256: string
}

const START_BYTES = 64 * 1024

/** @throws {Failure} unless `path` is a readable file */
export async function fingerprintOf(path: string): Promise<Fingerprint> {
  try {
    await using file = await open(path)
    const stat = await file.stat()
    if (!stat.isFile()) throw new Failure('usage', `${path} is not a file.`)
    const { bytesRead, buffer } = await file.read({
      buffer: Buffer.alloc(START_BYTES),
      position: 0,
    })
    const start = buffer.subarray(0, bytesRead)
    return { bytes: stat.size, startSha256: createHash('sha256').update(start).digest('hex') }
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Failure('not found', `The file ${path} does not exist.`)
    throw new Failure('failed', `Cannot read ${path}: ${message}.`, { cause: error })
  }
}
