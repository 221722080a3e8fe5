import type { FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { assertFree, listen } from '../../src/http/listen.ts'
import { createHttpServer } from '../../src/http/server.ts'

let servers: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()))
  servers = []
})

function newServer(): FastifyInstance {
  const server = createHttpServer({ config: parseConfig({}), logger: undefined })
  const number = servers.push(server)
  server.get('/', async () => String(number))
  return server
}

async function listenAt(port: number, reusePort: boolean): Promise<number> {
  const url = await listen(newServer(), { host: '127.0.0.1', port, backlog: 10, reusePort })
  return Number(new URL(url).port)
}

async function answering(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
  return response.text()
}

// Only these systems distribute connections among listeners.
const hasReusePort = ['linux', 'freebsd'].includes(process.platform)

test.runIf(hasReusePort)('several servers share the port that the first one picks', async () => {
  const port = await listenAt(0, true)
  expect(await listenAt(port, true)).toBe(port)
  const seen = new Set<string>()
  await expect
    .poll(async () => {
      seen.add(await answering(port))
      return seen.size
    })
    .toBe(2)
  await servers[0]!.close()
  for (let count = 0; count < 10; count++) expect(await answering(port)).toBe('2')
})

test('a port in use is not free, even if its program would share it', async () => {
  const port = await listenAt(0, hasReusePort)
  await expect(assertFree({ host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  await servers.pop()!.close()
  await assertFree({ host: '127.0.0.1', port })
  expect(await listenAt(port, hasReusePort)).toBe(port)
})
