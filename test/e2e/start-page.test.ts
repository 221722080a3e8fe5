import { createLogger, openService, parseConfig } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { describe, expect, test } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { exchange, type ReceivedResponse } from '../harness/http-exchange.ts'
import { startService } from '../harness/running-service.ts'

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
  test('shows a browser a page that loads nothing else and has no script', async () => {
    await using service = await startService()
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
    expect(text).toContain(VERSION)
    expect(text).not.toContain(service.token)
    expect(text).not.toContain(service.source.writeKey)
  })

  test('links to what the service has', async () => {
    await using service = await startService()
    const links = linksIn(await pageAt(service.url))
    expect(links).toEqual(['/docs', '/api/docs', '/readyz', '/livez', '/metrics'])
    for (const path of links.filter((each) => each !== '/docs')) {
      const { status } = await exchange(service.url + path, { method: 'GET' })
      expect([path, status]).toEqual([path, 200])
    }
  })

  test('shows a command that sends a first call as pasted, once the write key is in it', async () => {
    await using service = await startService()
    const { text } = await pageAt(service.url)
    const [, shown = ''] = /<pre[^>]*><code>([^]*?)<\/code>/.exec(text)!
    const command = shown.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
    const [, url, body] = /^curl -u wk_…: (\S+) [^]* -d '([^']+)'$/.exec(command)!
    expect(url).toBe(`${service.url}/v1/track`)
    expect(await service.send('/v1/track', body)).toMatchObject({ text: '{"success":true}' })
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

  test('responds to HEAD as to GET, without the body', async () => {
    await using service = await startService()
    const [page, head] = [
      await pageAt(service.url),
      await get(service.url, { Accept: ACCEPT }, 'HEAD'),
    ]
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(page.text)))
    expect(await get(service.url, {}, 'HEAD')).toMatchObject({ status: 404, text: '' })
  })

  test.for(['$(id).example', 'a"><b>.example', 'x;id', "x'", '`id`'])(
    'never shows a Host that is not the name of a host: %s',
    async (host) => {
      await using service = await startService()
      const { status, text } = await pageAt(service.url, { Host: host })
      expect([200, 400]).toContain(status)
      expect(text).not.toContain(host)
      const shown = /curl -u wk_…: (\S+)/.exec(text)
      if (status === 200) expect(shown![1]).toBe(`${service.url}/v1/track`)
    },
  )
})

test('with adminPort, the port for calls shows nothing of the management side', async () => {
  using folder = new TemporaryFolder()
  const flags = { dataDir: folder.path, port: '0', adminPort: '0', host: '0.0.0.0' }
  await using service = await openService({
    config: parseConfig({}, flags),
    logger: createLogger('silent'),
  })
  const port = new URL(service.url).port
  const address = `http://127.0.0.1:${port}`
  const page = await pageAt(address)
  expect(page.text).not.toMatch(/\/api|token|admin|metrics|readyz|livez|data folder/i)
  expect(page.text).not.toContain(VERSION)
  const links = linksIn(page)
  expect(links).toEqual(['/v1/docs', '/v1/openapi.json'])
  for (const path of links) {
    const { status, text } = await exchange(address + path, { method: 'GET' })
    expect([path, status]).toEqual([path, 200])
    expect(text).not.toMatch(/\/api\/v1|POST \/tokens|admin token/)
  }
  const admin = await pageAt(service.adminUrl)
  expect(admin.text).toContain(`${address}/v1/track`)
  expect(linksIn(admin)).toContain('/api/docs')
})
