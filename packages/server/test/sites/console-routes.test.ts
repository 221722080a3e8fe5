import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consoleRoutes } from '../../src/sites/sites.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGE = '<base href="/console/" /><script type="module" src="./assets/app.1234.js"></script>'

let folder: TemporaryFolder
let server: FastifyInstance

function write(path: string, text: string): void {
  const file = join(folder.path, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

function get(url: string, headers: Record<string, string> = BROWSER) {
  return server.inject({ url, headers })
}

beforeEach(async () => {
  folder = new TemporaryFolder()
  server = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  server.register(consoleRoutes(join(folder.path, 'site')), { prefix: '/console' })
  await server.ready()
})
afterEach(async () => {
  await server.close()
  folder[Symbol.dispose]()
})

describe('/console', () => {
  beforeEach(() => {
    write('secret.html', 'outside of the site')
    write('site/index.html', PAGE)
    write('site/icon.svg', '<svg/>')
    write('site/assets/app.1234.js', 'run()')
    write('site/assets/app.1234.js.gz', 'compressed')
  })

  it.for([
    ['/console/', './'],
    ['/console/?theme=dark#x', './'],
    ['/console/live', './'],
    ['/console/live?q=a/b/c', './'],
    ['/console/events/evt_1', '../'],
    ['/console/users/a%2Fb', '../'],
    ['/console/events/', '../'],
    ['/console/a/b/c', '../../'],
  ])('serves the page for %s, with the path to its folder: %s', async ([url, base]) => {
    const response = await get(url!)
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.body).toContain(`<base href="${base}" />`)
    // As a browser resolves it, behind a proxy that adds a path prefix.
    const address = new URL(`https://example.com/analytics${url}`)
    expect(new URL(base!, address).pathname).toBe('/analytics/console/')
  })

  it("redirects to the address with a slash, relative to the proxy's path", async () => {
    const { statusCode, headers } = await get('/console')
    expect([statusCode, headers['location']]).toEqual([302, 'console/'])
  })

  it('allows no inline script or style, and no frame', async () => {
    for (const url of ['/console/', '/console/assets/app.1234.js', '/console/assets/none.js']) {
      const { headers } = await get(url)
      const policy = String(headers['content-security-policy'])
      expect(policy).not.toContain('unsafe')
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
        expect(policy.split('; ')).toContain(part)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
    }
  })

  it('sends compressed files to browsers that accept them, cacheable forever', async () => {
    const url = '/console/assets/app.1234.js'
    expect((await get(url)).body).toBe('run()')
    const response = await get(url, { 'accept-encoding': 'gzip, deflate' })
    expect(response.body).toBe('compressed')
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(response.headers['content-type']).toMatch(/javascript/)
  })

  it('responds with 404 to a file of another version, so that a page is never returned for a script', async () => {
    const { statusCode, headers } = await get('/console/assets/old.js', {})
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })

  it.for([
    '/console/../secret.html',
    '/console/assets/../../secret.html',
    '/console/assets/..%2f..%2fsecret.html',
    '/console/assets/%2e%2e/%2e%2e/secret.html',
    '/console/assets/%00',
    '/console/assets//etc/passwd',
    `/console/${'a/'.repeat(2_000)}`,
    '/console/<script>alert(1)</script>',
    '/console/"><script>alert(1)</script>',
  ])('serves only its own files, and does not echo the address: %s', async (url) => {
    const { body } = await get(url)
    expect(body).not.toContain('outside of the site')
    expect(body).not.toContain('alert')
    expect(body).not.toContain(folder.path)
  })
})

it('a clone without the built console explains how to build it', async () => {
  const page = await get('/console/')
  expect(page.statusCode).toBe(404)
  expect(page.body).toContain('npm run build -w @hookline/console')
})
