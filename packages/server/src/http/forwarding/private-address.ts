import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const SECRET_BYTES = 32

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

/** Where the connection of a client is from, and where it came in: the properties of its socket. */
interface Ends {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly remoteFamily: string | undefined
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
  readonly localFamily: string | undefined
}

const LENGTH_BYTES = 2
/** The thread sends it together with the request. */
const DEADLINE_MS = 5_000

/** What a forwarded connection begins with: the secret of the listener, and the ends of the connection of the client. */
export function preambleOf(client: Socket, secret: Uint8Array): Buffer {
  const { remoteAddress, remotePort, remoteFamily, localAddress, localPort, localFamily } = client
  const ends: Ends = {
    remoteAddress,
    remotePort,
    remoteFamily,
    localAddress,
    localPort,
    localFamily,
  }
  const text = Buffer.from(JSON.stringify(ends))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(text.length)
  return Buffer.concat([secret, length, text])
}

/**
 * Reads the preamble, and nothing beyond it. Then the socket shows the ends of the client's connection as its own. A
 * connection without the secret, or with an incomplete preamble, is closed.
 */
export function readPreamble(socket: Socket, secret: Uint8Array, onRead: () => void): void {
  const destroy = (): unknown => socket.destroy()
  socket.on('error', destroy).once('end', destroy).setTimeout(DEADLINE_MS, destroy)
  let length: number | undefined
  const read = (): void => {
    length ??= lengthIn(socket, secret)
    const text = length === undefined ? null : (socket.read(length) as Buffer | null)
    if (text === null) return
    socket.off('readable', read).off('error', destroy).off('end', destroy)
    socket.setTimeout(0).off('timeout', destroy)
    showEnds(socket, JSON.parse(text.toString()) as Ends)
    onRead()
  }
  socket.on('readable', read)
}

/** The length of the text of the preamble, once it has arrived. */
function lengthIn(socket: Socket, secret: Uint8Array): number | undefined {
  const bytes = socket.read(SECRET_BYTES + LENGTH_BYTES) as Buffer | null
  if (bytes === null) return undefined
  if (timingSafeEqual(bytes.subarray(0, SECRET_BYTES), secret))
    return bytes.readUInt16BE(SECRET_BYTES)
  socket.destroy()
  return undefined
}

function showEnds(socket: Socket, ends: Ends): void {
  for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value })
  // Only TCP has a reset. The thread that forwards resets the connection of a client that does not read.
  socket.resetAndDestroy = () => socket.destroy()
}
