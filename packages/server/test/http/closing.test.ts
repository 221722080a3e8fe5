import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'

test('a closing server responds to requests in flight, and does not wait for idle or unused connections', async () => {
  const server = createHttpServer({ config: parseConfig({}), logger: undefined })
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  server.get('/slow', async () => {
    arrived.resolve()
    await released.promise
    return { done: true }
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  const unused = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  unused.on('error', () => undefined)
  await once(unused, 'connect')
  socket.write('GET /slow HTTP/1.1\r\nHost: test\r\n\r\n')
  await arrived.promise
  const closed = server.close()
  await expect.poll(() => server.server.listening).toBe(false)
  released.resolve()
  const [response] = (await once(socket, 'data')) as [Buffer]
  expect(response.toString()).toContain('{"done":true}')
  await closed
  socket.destroy()
})

test('a closing server closes the connections of requests in flight after its deadline', async () => {
  const stop = new AbortController()
  const config = parseConfig({})
  const server = createHttpServer({ config, logger: undefined, overdue: stop.signal })
  server.get('/never', () => new Promise(() => undefined))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  const requested = once(server.server, 'request')
  socket.write('GET /never HTTP/1.1\r\nHost: test\r\n\r\n')
  await requested
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  const closed = server.close()
  stop.abort()
  await Promise.all([closed, ended])
})
