import { createLogger, openService, parseConfig } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { describe, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { exchange, type ReceivedResponse } from '@hookline/testing/network/http-exchange'
import { startService } from '@hookline/testing/service/running-service'

/** The Accept header of browsers. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return exchange(`${url}/`, { method, headers })
}

const pageAt = (url: string, headers: object = {}): Promise<ReceivedResponse> =>
  get(url, { Accept: ACCEPT, ...headers })

describe('the address of the service', () => {
  test('redirects a browser to the console', async () => {
    await using service = await startService()
    const { status, headers } = await pageAt(service.url)
    expect([status, headers]).toMatchObject([302, { location: 'console/', vary: 'Accept' }])
    expect(headers['cache-control']).toBe('no-store')
  })

  test.for([
    [{}, 'no Accept'],
    [{ Accept: '*/*' }, 'the wildcard of curl'],
    [{ Accept: 'application/json' }, 'JSON'],
  ] as const)('responds to a program that accepts %j with JSON and a hint', async ([headers]) => {
    await using service = await startService()
    const { status, text } = await get(service.url, headers)
    expect(status).toBe(404)
    expect(JSON.parse(text)).toEqual({
      success: false,
      code: 'not_found',
      message: 'Not found.',
      error: 'not_found: Not found.',
      hint: expect.stringContaining('/v1/track'),
    })
  })
})

describe('the port for calls, with adminPort', () => {
  async function openApart(folder: TemporaryFolder) {
    const flags = { dataDir: folder.path, port: '0', adminPort: '0' }
    return openService({ config: parseConfig({}, flags), logger: createLogger('silent') })
  }

  test('shows browsers a page that loads nothing else and has no scripts', async () => {
    using folder = new TemporaryFolder()
    await using service = await openApart(folder)
    const { status, headers, text } = await pageAt(service.url)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      vary: 'Accept',
    })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(text).not.toMatch(/<script|<link|<img|src=|@import|url\(|style=/)
    expect(text).toContain('This service is running.')
    const head = await get(service.url, { Accept: ACCEPT }, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(text)))
  })

  test('shows nothing about the management API and the console', async () => {
    using folder = new TemporaryFolder()
    await using service = await openApart(folder)
    const page = await pageAt(service.url)
    expect(page.text).not.toMatch(/\/api|\/console|token|admin|metrics|readyz|livez|data folder/i)
    expect(page.text).not.toContain(VERSION)
    expect((await get(`${service.url}/console`, { Accept: ACCEPT })).status).toBe(404)
    expect((await pageAt(service.adminUrl)).headers['location']).toBe('console/')
  })
})
