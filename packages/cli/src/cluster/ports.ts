import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { listenFailure } from '../service/listen-failure.ts'
import type { ClusterFolder } from './cluster-folder.ts'

const HOST = '127.0.0.1'
const FILE = 'ports.json'

/** The port that a part of the cluster had in an earlier run, if it is free, or else a free one. */
export async function portOf(folder: ClusterFolder, name: string): Promise<number> {
  const kept = (folder.read(FILE) ?? {}) as Record<string, number>
  const before = kept[name]
  const port = before !== undefined && (await isFree(before)) ? before : await freePort(0)
  folder.write(FILE, JSON.stringify({ ...kept, [name]: port }))
  return port
}

/** @throws {Failure} where the port is in use. 0 takes a free one. */
export async function freePort(port: number): Promise<number> {
  const server = createServer().listen(port, HOST)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw listenFailure(error, { host: HOST, port }) ?? error
  }
  const { port: taken } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return taken
}

async function isFree(port: number): Promise<boolean> {
  try {
    await freePort(port)
    return true
  } catch {
    return false
  }
}
