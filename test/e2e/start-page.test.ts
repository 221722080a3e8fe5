import { createLogger, openService, parseConfig } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { describe, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { exchange, type ReceivedResponse } from '@hookline/testing/network/http-exchange'
import { startService } from '@hookline/testing/service/running-service'

/** As browsers send it. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return exchange(`${url}/`, { method, headers })
}

const pageAt = (url: string, headers: object = {}): Promise<ReceivedResponse> =>
  get(url, { Accept: ACCEPT, ...headers })

/** The paths that a page links to. */
const linksIn = ({ text }: ReceivedResponse): string[] =>
  [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path!)

describe('the address of the service', () => {
  test('leads a browser to the console', async () => {
    await using service = await startService()
    const { status, headers } = await pageAt(service.url)
    expect([status, headers]).toMatchObject([302, { location: 'console/', vary: 'Accept' }])
    expect(headers['cache-control']).toBe('no-store')
  })

  test.for([
    [{}, 'no Accept'],
    [{ Accept: '*/*' }, 'the wildcard of curl'],
    [{ Accept: 'application/json' }, 'JSON'],
    [{ Accept: 'application/json, text/html;q=0' }, 'anything but HTML'],
  ] as const)('responds to a program that asks for %j with JSON and a hint', async ([headers]) => {
    await using service = await startService()
    const { status, text } = await get(service.url, headers)
    expect(status).toBe(404)
    expect(JSON.parse(text)).toEqual({
      success: false,
      code: 'not_found',
      message: 'There is nothing at this path.',
      error: 'not_found: There is nothing at this path.',
      hint: expect.stringContaining('/v1/track'),
    })
  })
})

describe('the port for calls, with adminPort', () => {
  async function openApart(folder: TemporaryFolder) {
    const flags = { dataDir: folder.path, port: '0', adminPort: '0' }
    return openService({ config: parseConfig({}, flags), logger: createLogger('silent') })
  }

  test('shows a browser a page that loads nothing else and has no script', async () => {
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

  test('shows nothing of the management side, which has the console', async () => {
    using folder = new TemporaryFolder()
    await using service = await openApart(folder)
    const page = await pageAt(service.url)
    expect(page.text).not.toMatch(/\/api|\/console|token|admin|metrics|readyz|livez|data folder/i)
    expect(page.text).not.toContain(VERSION)
    const links = linksIn(page)
    expect(links).toEqual(['/v1/docs', '/v1/openapi.json'])
    for (const path of links) {
      const { status, text } = await exchange(service.url + path, { method: 'GET' })
      expect([path, status]).toEqual([path, 200])
      expect(text).not.toMatch(/\/api\/v1|POST \/tokens|admin token/)
    }
    expect((await get(`${service.url}/console`, { Accept: ACCEPT })).status).toBe(404)
    expect((await pageAt(service.adminUrl)).headers['location']).toBe('console/')
  })

  test('shows a command that sends a first call as pasted, once the write key is in it', async () => {
    using folder = new TemporaryFolder()
    await using service = await openApart(folder)
    const { text } = await pageAt(service.url)
    const [, shown = ''] = /<pre[^>]*><code>([^]*?)<\/code>/.exec(text)!
    const command = shown.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
    const [, url, body] = /^curl -u wk_…: (\S+) [^]* -d '([^']+)'$/.exec(command)!
    expect(url).toBe(`${service.url}/v1/track`)
    const response = await exchange(url!, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...(JSON.parse(body!) as object), writeKey: 'wk_none' }),
    })
    expect([response.status, response.text]).toEqual([401, expect.stringContaining('write_key')])
  })

  test.for(['$(id).example', 'a"><b>.example', 'x;id', "x'", '`id`'])(
    'never shows a Host that is not the name of a host: %s',
    async (host) => {
      using folder = new TemporaryFolder()
      await using service = await openApart(folder)
      const { status, text } = await pageAt(service.url, { Host: host })
      expect([200, 400]).toContain(status)
      expect(text).not.toContain(host)
      const shown = /curl -u wk_…: (\S+)/.exec(text)
      if (status === 200) expect(shown![1]).toBe(`${service.url}/v1/track`)
    },
  )
})
