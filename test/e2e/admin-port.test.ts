import { get, type IncomingMessage } from 'node:http'
import { createLogger, openService, parseConfig } from '@hookline/server'
import { expect, onTestFinished, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { exchange } from '@hookline/testing/network/http-exchange'

const TOKEN = 'tok_of_the_e2e_tests'
const HIDDEN = [
  '/api/docs',
  '/api/v1/sources',
  '/api/v1/openapi.json',
  '/metrics',
  '/livez',
  '/readyz',
]

test('with adminPort, the management API, the documentation and the monitoring paths have a separate port', async () => {
  using folder = new TemporaryFolder()
  const flags = {
    dataDir: folder.path,
    port: '0',
    adminPort: '0',
    adminToken: TOKEN,
  }
  const config = parseConfig({}, flags)
  await using service = await openService({ config, logger: createLogger('silent') })
  expect(service.adminUrl).not.toBe(service.url)
  const statusAt = async (url: string, path: string, method = 'GET'): Promise<number> => {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    return (await exchange(url + path, { method, headers })).status
  }
  for (const path of HIDDEN) {
    expect([path, await statusAt(service.url, path)]).toEqual([path, 404])
    expect([path, await statusAt(service.adminUrl, path)]).toEqual([path, 200])
  }
  // The documentation has its own policy, even if it is not built.
  const policyAt = async (url: string): Promise<string | null> =>
    (await fetch(`${url}/docs`)).headers.get('content-security-policy')
  expect(await policyAt(service.url)).toBeNull()
  expect(await policyAt(service.adminUrl)).toContain("script-src 'self'")
  const system = await fetch(`${service.adminUrl}/api/v1/system`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  })
  expect(await system.json()).toMatchObject({ callsPort: Number(new URL(service.url).port) })
  expect(await statusAt(service.adminUrl, '/v1/track', 'POST')).toBe(404)
  expect(await statusAt(service.url, '/v1/track', 'POST')).toBe(401)
})

test('with adminPort, both ports serve the public keys of a destination', async () => {
  using folder = new TemporaryFolder()
  const flags = { dataDir: folder.path, port: '0', adminPort: '0', adminToken: TOKEN }
  const config = parseConfig({}, flags)
  await using service = await openService({ config, logger: createLogger('silent') })
  const create = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
    const { text } = await exchange(`${service.adminUrl}/api/v1/${path}`, {
      headers,
      body: JSON.stringify(body),
    })
    return (JSON.parse(text) as { id: string }).id
  }
  const sourceId = await create('sources', { name: 'Shop' })
  const settings = { webhookUrl: 'https://a.example/', signature: 'ed25519' }
  const id = await create('destinations', { sourceId, type: 'Webhooks', settings })
  const keysAt = async (url: string) =>
    (await exchange(`${url}/.well-known/hookline/keys/${id}`, { method: 'GET' })).text
  expect(await keysAt(service.url)).toContain('"whpk_')
  expect(await keysAt(service.adminUrl)).toBe(await keysAt(service.url))
})

test('readers of the live tail leave connections free for other requests, even if connections are scarce', async () => {
  using folder = new TemporaryFolder()
  const ports = { port: '0', adminPort: '0' }
  // The management API gets 9 connections, of which 4 may be used by streams.
  const flags = { dataDir: folder.path, ...ports, adminToken: TOKEN, maxOpenFiles: '272' }
  await using service = await openService({
    config: parseConfig({}, flags),
    logger: createLogger('silent'),
  })
  const statuses: number[] = []
  for (let count = 0; count < 8; count++)
    statuses.push(await statusOfStream(`${service.adminUrl}/api/v1/live`))
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429])
  expect((await exchange(`${service.adminUrl}/readyz`, { method: 'GET' })).status).toBe(200)
})

/** The status of a response that stays open until the end of the test. */
async function statusOfStream(url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = get(url, { agent: false, headers: { Authorization: `Bearer ${TOKEN}` } }, resolve)
  request.on('error', reject)
  onTestFinished(() => void request.destroy())
  return (await promise).statusCode!
}
