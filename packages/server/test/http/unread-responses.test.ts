import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'

/** Longer than a busy machine keeps a process waiting. */
const TIMEOUT_MS = 2_000
/** More than the buffers of two sockets. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)

let server: FastifyInstance

beforeEach(async () => {
  const config = parseConfig({}, { slowReaderTimeoutMs: `${TIMEOUT_MS}` })
  server = createHttpServer({ config, logger: undefined })
  server.get('/large', async () => LARGE)
  server.get('/slow', async () => {
    await sleep(2 * TIMEOUT_MS)
    return { ready: true }
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
})

afterEach(() => server.close())

function ask(path: string): Socket {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1').pause()
  // The server may reset the connection at any moment.
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return socket
}

const connections = (): Promise<number> =>
  new Promise((resolve) => server.server.getConnections((_error, count) => resolve(count)))

test('a connection whose client reads nothing is closed after slowReaderTimeoutMs', async () => {
  using socket = disposable(ask('/large'))
  await expect.poll(connections).toBe(1)
  await sleep(TIMEOUT_MS / 2)
  expect(await connections()).toBe(1)
  await expect.poll(connections).toBe(0)
  expect(socket.destroyed).toBe(false)
})

test('a connection with a slow reader stays open', async () => {
  using socket = disposable(ask('/large'))
  const started = performance.now()
  while (performance.now() - started < 3 * TIMEOUT_MS) {
    socket.read()
    await sleep(20)
  }
  expect(socket.bytesRead).toBeLessThan(LARGE.length)
  expect(await connections()).toBe(1)
})

test('a connection waiting for its response stays open', async () => {
  using socket = disposable(ask('/slow'))
  await sleep(2.5 * TIMEOUT_MS)
  const [response] = (await once(socket.resume(), 'data')) as [Buffer]
  expect(response.toString()).toContain('{"ready":true}')
})

function disposable(socket: Socket): Socket & Disposable {
  return Object.assign(socket, { [Symbol.dispose]: () => socket.destroy() })
}
