import { createLogger, openService, parseConfig } from '@hookline/server'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { exchange } from '@hookline/testing/network/http-exchange'

test('metrics and readiness are shown only under the service’s host names, to protect them from web pages', async () => {
  using folder = new TemporaryFolder()
  const flags = { dataDir: folder.path, port: '0', allowedHosts: 'hookline.example.com' }
  const config = parseConfig({}, { ...flags, trustedProxies: '127.0.0.1/32' })
  await using service = await openService({ config, logger: createLogger('silent') })
  const { port } = new URL(service.url)
  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    exchange(service.url + path, { method: 'GET', headers })

  for (const path of ['/metrics', '/readyz']) {
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'hookline',
      'hookline.example.com',
    ])
      expect([path, host, (await get(path, { host })).status]).toEqual([path, host, 200])
    for (const headers of [
      { host: `attacker.example:${port}` },
      { host: 'attacker.example', 'x-forwarded-host': 'localhost' },
    ]) {
      const { status, text } = await get(path, headers)
      expect([path, status]).toEqual([path, 421])
      expect(JSON.parse(text)).toMatchObject({ success: false, code: 'wrong_host' })
    }
  }
  // Open to any host name, because they show nothing, or need a key or a token.
  const host = 'events.attacker.example'
  expect((await get('/livez', { host })).status).toBe(200)
  expect((await get('/api/v1/sources', { host })).status).toBe(401)
  const call = { method: 'POST', headers: { host, 'content-type': 'application/json' } }
  expect((await exchange(`${service.url}/v1/track?writeKey=none`, call)).status).toBe(401)
})
