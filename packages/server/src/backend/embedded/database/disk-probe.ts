import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BackendUnavailable } from '../../backend.ts'

/** More than the calls of a request of `maxBatchBytes` need. */
const PROBE_BYTES = 1024 * 1024

/**
 * Finds out whether the disk of the database takes new data. It writes a file beside the database, syncs and removes it: a
 * change of the database itself may fit into space that the file has already, and so succeed on a full disk.
 */
export class DiskProbe {
  readonly #file: string
  /** Random: a file system that compresses needs no room for zeros. */
  readonly #bytes = randomBytes(PROBE_BYTES)
  #running: Promise<void> | undefined

  constructor(databaseFile: string) {
    this.#file = join(dirname(databaseFile), 'disk-probe')
  }

  /** Calls at the same time share one write. @throws {BackendUnavailable} where the disk takes no data */
  run(): Promise<void> {
    this.#running ??= this.#write().finally(() => (this.#running = undefined))
    return this.#running
  }

  async #write(): Promise<void> {
    try {
      await writeAndSync(this.#file, this.#bytes)
    } catch (cause) {
      // Not the message: it has the path of the file, and the response to /readyz is public.
      const { code = 'unknown error' } = cause as NodeJS.ErrnoException
      throw new BackendUnavailable(`The disk of the database takes no data (${code}).`, { cause })
    } finally {
      await rm(this.#file, { force: true }).catch(() => undefined)
    }
  }
}

async function writeAndSync(file: string, bytes: Buffer): Promise<void> {
  await using handle = await open(file, 'w', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}
