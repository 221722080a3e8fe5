import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'

const MAX_CONNECTIONS = 3

let server: FastifyInstance
let sockets: Socket[]
let release: () => void

beforeEach(async () => {
  sockets = []
  const released = Promise.withResolvers<void>()
  release = released.resolve
  server = createHttpServer({
    config: parseConfig({}),
    logger: undefined,
    maxConnections: MAX_CONNECTIONS,
  })
  server.get('/', async () => 'done')
  server.get('/handled', () => released.promise.then(() => 'done'))
  await server.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  release()
  for (const socket of sockets) socket.destroy()
  await server.close()
})

async function client(bytes: string): Promise<Socket> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  const accepted = once(server.server, 'connection')
  await accepted
  if (bytes !== '') socket.write(bytes)
  return socket
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`

async function handled(): Promise<Socket> {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  server.server.on('request', ({ url }: IncomingMessage) => {
    if (url === '/handled') resolve()
  })
  const socket = await client(get('/handled'))
  await requested
  return socket
}

test.each([
  ['has sent nothing', ''],
  ['has sent half of its headers', 'GET / HTTP/1.1\r\nHost:'],
  ['has sent half of its body', 'POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n{'],
])('the connection that %s makes room for a new one', async (_what, bytes) => {
  const waiting = await client(bytes)
  waiting.resume()
  await handled()
  const closed = once(waiting, 'close')
  const response = once(await client(get('/')), 'data')
  await closed
  expect(String(await response)).toContain('done')
})

test('the longest idle connection is closed, and one in use is not', async () => {
  const first = await client(get('/'))
  await once(first, 'data')
  const second = await client(get('/'))
  await once(second, 'data')
  first.write(get('/'))
  await once(first, 'data')
  const closed = once(second.resume(), 'close')
  await client(get('/'))
  await closed
  first.write(get('/'))
  await once(first, 'data')
})

test('clients that never finish a request do not cause a busy client to be disconnected', async () => {
  const healthy = await client(get('/'))
  await once(healthy, 'data')
  for (let count = 0; count < 10; count++) await client('GET / HTTP/1.1\r\nHost:')
  healthy.write(get('/'))
  expect(String((await once(healthy, 'data'))[0])).toContain('done')
})

test('a request in progress is not cut off when half of the next one has arrived', async () => {
  const busy = await handled()
  const partial = once(server.server, 'request')
  busy.write('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n{')
  await partial
  for (let count = 0; count < MAX_CONNECTIONS; count++) await client('')
  const response = once(busy, 'data')
  release()
  expect(String((await response)[0])).toContain('done')
})

test('if every connection has a request in progress, the new connection is closed', async () => {
  const busy = [await handled(), await handled(), await handled()]
  const refused = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  refused.on('error', () => undefined).resume()
  await once(refused, 'close')
  const responses = busy.map((socket) => once(socket, 'data'))
  release()
  for (const response of await Promise.all(responses)) expect(String(response)).toContain('done')
})
