import { createLogger, openService, parseConfig } from '@hookline/server'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { exchange } from '../harness/http-exchange.ts'

const HIDDEN = ['/api/v1/sources', '/api/v1/openapi.json', '/metrics', '/livez', '/readyz']

test('with adminPort, one port accepts calls only, and the other serves everything else', async () => {
  using folder = new TemporaryFolder()
  const flags = { dataDir: folder.path, port: '0', adminPort: '0', adminToken: 'tok_x' }
  const config = parseConfig({}, flags)
  await using service = await openService({ config, logger: createLogger('silent') })
  expect(service.adminUrl).not.toBe(service.url)
  const statusAt = async (url: string, path: string, method = 'GET'): Promise<number> => {
    const headers = { Authorization: 'Bearer tok_x' }
    return (await exchange(url + path, { method, headers })).status
  }
  for (const path of HIDDEN) {
    expect([path, await statusAt(service.url, path)]).toEqual([path, 404])
    expect([path, await statusAt(service.adminUrl, path)]).toEqual([path, 200])
  }
  expect(await statusAt(service.adminUrl, '/v1/track', 'POST')).toBe(404)
  expect(await statusAt(service.url, '/v1/track', 'POST')).toBe(401)
})
