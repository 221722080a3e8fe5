import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const SECRET_BYTES = 32

/** Where the main thread accepts forwarded connections. Send it to no other process. */
export interface PrivateAddress {
  /** Of a Unix domain socket, or a named pipe on Windows. */
  readonly path: string
  /** Who connects must know it: on Windows, other users could connect. */
  readonly secret: Uint8Array
}

/**
 * Makes an address in a folder that no other user may enter: in `dataDir`, or in the system's folder for temporary files where
 * the file system of `dataDir` has no sockets, or its path is too long for one. Disposing of it removes the folder.
 */
export async function newPrivateAddress(
  dataDir: string,
): Promise<PrivateAddress & AsyncDisposable> {
  const secret = randomBytes(SECRET_BYTES)
  if (process.platform === 'win32') {
    const path = String.raw`\\.\pipe\hookline-${randomUUID()}`
    return { path, secret, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await folderIn(dataDir).catch(() => temporaryFolder())
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  return { path: join(folder, SOCKET), secret, [Symbol.asyncDispose]: remove }
}

const SOCKET = 'main'

/** A process that was killed did not remove its folder. No other process uses this `dataDir`. */
async function folderIn(dataDir: string): Promise<string> {
  const folder = join(resolve(dataDir), 'threads')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return withSocket(folder)
}

async function temporaryFolder(): Promise<string> {
  return withSocket(await mkdtemp(join(tmpdir(), 'hookline-')))
}

/** Tries whether a socket can be there. */
async function withSocket(folder: string): Promise<string> {
  try {
    const server = createServer().listen(join(folder, SOCKET))
    await once(server, 'listening')
    await new Promise((closed) => server.close(closed))
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
