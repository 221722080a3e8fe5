import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'

test('a closing server responds to requests in flight, and does not wait for kept-alive connections', async () => {
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
