import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { ingestError } from '@hookline/protocol'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

/** `npm ci` builds packages/console there; the published package includes it. */
const CONSOLE = fileURLToPath(new URL('../../console-site/', import.meta.url))

const BASE = /<base href="[^"]*"/

/** The console, to be registered under `/console`. Paths without a file get the page. It contains no secrets. */
export function consoleRoutes(folder: string = CONSOLE): FastifyPluginAsync {
  return async (server) => {
    await serveSite(server, {
      folder,
      contentSecurityPolicy: CONSOLE_POLICY,
      notBuiltPage: notBuilt('console', 'npm run build -w @hookline/console'),
    })
    server.get('/icon.svg', (_request, reply) => reply.sendFile('icon.svg'))
    server.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
      reply.sendFile(`assets/${request.params['*']}`),
    )
    const page = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      sendPage(folder, server.prefix, request, reply)
    server.get('/', page)
    server.get('/*', page)
  }
}

async function sendPage(
  folder: string,
  prefix: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = request.url.replace(/\?.*$/s, '').slice(prefix.length)
  // Without the slash, relative URLs would be resolved against /.
  if (path === '') return reply.redirect('console/')
  const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined)
  if (html === undefined) {
    reply.callNotFound()
    return reply
  }
  const depth = path.split('/').length - 2
  const base = `<base href="${depth === 0 ? './' : '../'.repeat(depth)}"`
  return reply
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html.replace(BASE, () => base))
}

/** `npm run docs:site` writes the pages; the published package includes them. */
const DOCS = fileURLToPath(new URL('../../docs-site/', import.meta.url))

/** The documentation, to be registered under `/docs`. It contains no secrets, and needs no token. */
export function docsRoutes(folder: string = DOCS): FastifyPluginAsync {
  return async (server) => {
    await serveSite(server, {
      folder,
      contentSecurityPolicy: DOCS_POLICY,
      notBuiltPage: notBuilt('documentation', 'npm run docs:site'),
      extensions: ['html'],
    })
    server.get('/', (_request, reply) => reply.sendFile('index.html'))
    server.get<{ Params: { '*': string } }>('/*', (request, reply) =>
      reply.sendFile(request.params['*']),
    )
  }
}

interface StaticSite {
  /** May be created while the service runs. */
  readonly folder: string
  readonly contentSecurityPolicy: string
  /** Shown to browsers if the folder has no `404.html`. */
  readonly notBuiltPage: string
  /** Extensions that paths may omit. */
  readonly extensions?: string[]
}

/** Serves the files in a folder. Other paths get a 404: a page, or JSON. */
async function serveSite(server: FastifyInstance, site: StaticSite): Promise<void> {
  await server.register(fastifyStatic, {
    root: site.folder,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: setFileHeaders,
    ...(site.extensions !== undefined && { extensions: site.extensions }),
  })
  const notFound = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendNotFound(site, request, reply)
  server.addHook('onRequest', async (_request, reply) =>
    setSiteHeaders(reply, site.contentSecurityPolicy),
  )
  server.setNotFoundHandler(notFound)
  // A path outside the folder, or one that no file can have.
  server.setErrorHandler<{ statusCode?: number }>((error, request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error
    return notFound(request, reply)
  })
}

/** Browsers get a page, programs get JSON. */
async function sendNotFound(
  { folder, notBuiltPage }: StaticSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = await readFile(join(folder, '404.html')).catch(() => undefined)
  void reply.code(404).header('cache-control', 'no-store')
  const isBrowser = request.headers.accept?.includes('text/html') ?? false
  if (!isBrowser)
    return reply.type('application/json; charset=utf-8').send(ingestError('not_found'))
  return reply.type('text/html; charset=utf-8').send(page ?? notBuiltPage)
}

/** Forbids everything that does not come from the service itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** The documentation colours code with `style` attributes. */
const DOCS_POLICY = policy("style-src-attr 'unsafe-inline'", "base-uri 'none'")

/** The console page has a base element. */
const CONSOLE_POLICY = policy("base-uri 'self'")

function policy(...more: readonly string[]): string {
  return [...POLICY, ...more].join('; ')
}

function setSiteHeaders(reply: FastifyReply, contentSecurityPolicy: string): void {
  void reply.headers({
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  })
}

/** Asset names contain a hash. Browsers revalidate all other files. */
function setFileHeaders(reply: FastifyReply, path: string): void {
  const isAsset = /[\\/]assets[\\/]/.test(path)
  const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache'
  void reply.header('cache-control', caching)
}

function notBuilt(what: 'documentation' | 'console', command: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Hookline ${what}</title></head>
<body><main><h1>The ${what} is not built</h1>
<p>Run <code>${command}</code> in your clone (this takes a few seconds), then reload this page.</p>
</main></body></html>
`
}
