import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { docsRoutes } from '../../src/sites/sites.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let folder: TemporaryFolder
let server: FastifyInstance

function write(path: string, text: string): void {
  const file = join(folder.path, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

async function serve(site: string): Promise<void> {
  server = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  server.register(docsRoutes(join(folder.path, site)), { prefix: '/docs' })
  await server.ready()
}

beforeEach(() => {
  folder = new TemporaryFolder()
  write('secret.html', 'outside of the site')
})
afterEach(async () => {
  await server.close()
  folder[Symbol.dispose]()
})

describe('/docs', () => {
  beforeEach(async () => {
    write('site/index.html', '<h1>Home</h1>')
    write('site/404.html', '<h1>No such page</h1>')
    write('site/guides/audiences.html', '<h1>Audiences</h1>')
    write('site/assets/app.1234.js', 'run()')
    write('site/.hidden', 'hidden')
    await serve('site')
  })

  it.for([
    ['/docs', 'Home'],
    ['/docs/', 'Home'],
    ['/docs/guides/audiences', 'Audiences'],
    ['/docs/guides/audiences?from=search', 'Audiences'],
    ['/docs/guides/audiences.html', 'Audiences'],
  ])('serves a page at its address, with or without the extension: %s', async ([url, heading]) => {
    const response = await server.inject({ url: url!, headers: BROWSER })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.body).toBe(`<h1>${heading}</h1>`)
  })

  it('forbids all content from other origins', async () => {
    for (const url of ['/docs', '/docs/missing', '/docs/assets/app.1234.js']) {
      const { headers } = await server.inject({ url, headers: BROWSER })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('lets browsers cache assets forever, and revalidate pages by ETag', async () => {
    const asset = await server.inject('/docs/assets/app.1234.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const page = await server.inject('/docs/guides/audiences')
    expect(page.headers['cache-control']).toBe('no-cache')
    const again = await server.inject({
      url: '/docs/guides/audiences',
      headers: { 'if-none-match': String(page.headers.etag) },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('answers HEAD like GET, without the body', async () => {
    const head = await server.inject({ method: 'HEAD', url: '/docs/guides/audiences' })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String('<h1>Audiences</h1>'.length))
  })

  it('has its own not-found page, and JSON for programs', async () => {
    const page = await server.inject({ url: '/docs/missing', headers: BROWSER })
    expect([page.statusCode, page.body]).toEqual([404, '<h1>No such page</h1>'])
    const json = await server.inject('/docs/missing')
    expect(json.statusCode).toBe(404)
    expect(json.json()).toMatchObject({ success: false, code: 'not_found' })
    expect(json.headers['cache-control']).toBe('no-store')
  })

  it.for([
    '/docs/../secret.html',
    '/docs/%2e%2e/secret.html',
    '/docs/..%2fsecret.html',
    '/docs/%2e%2e%2fsecret.html',
    '/docs/..%5csecret.html',
    '/docs/guides/../../secret.html',
    '/docs/guides/%2e%2e/%2e%2e/secret.html',
    '/docs/guides/..%2f..%2fsecret.html',
    '/docs/%252e%252e/secret.html',
    '/docs//../secret.html',
    '/docs/%2fetc/passwd',
    '/docs//etc/passwd',
    '/docs/index.html%00.js',
    '/docs/%00',
    '/docs/.hidden',
    '/docs/%2ehidden',
    '/docs/guides',
    '/docs/guides/',
    '/docs/assets',
    '/docs/c:/windows',
    `/docs/${'a'.repeat(5_000)}`,
    `/docs/${'a/'.repeat(2_000)}`,
    '/docs/<script>alert(1)</script>',
  ])("serves only the site's files: %s", async (url) => {
    const response = await server.inject({ url, headers: BROWSER })
    expect(response.statusCode).toBe(404)
    expect(response.body).not.toContain('outside of the site')
    expect(response.body).not.toContain('alert')
    expect(response.body).not.toContain(folder.path)
  })
})

describe('/docs in a clone without the built pages', () => {
  beforeEach(() => serve('nothing'))

  it('explains how to build them', async () => {
    const page = await server.inject({ url: '/docs', headers: BROWSER })
    expect(page.statusCode).toBe(404)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain('npm run docs:site')
    const json = await server.inject('/docs/guides/audiences')
    expect(json.json()).toMatchObject({ success: false, code: 'not_found' })
  })

  it('serves them as soon as they are built, without a restart', async () => {
    write('nothing/index.html', '<h1>Home</h1>')
    expect((await server.inject({ url: '/docs', headers: BROWSER })).body).toBe('<h1>Home</h1>')
  })
})
