import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { notBuiltPage } from './not-built-page.ts'
import { CONSOLE_POLICY } from './site-headers.ts'
import { serveSite } from './static-site.ts'

/** Where `npm ci` builds the files of packages/console; the published package has them. */
const SITE = fileURLToPath(new URL('../../console-site/', import.meta.url))

/** What the built page says about the folder that its addresses begin with. */
const BASE = /<base href="[^"]*"/

/**
 * The console, to be registered under `/console`. Its files contain no secret; the management API decides who may see what.
 * Every address that is no file gets the one page, which reads the address itself. The page names its folder by the way to
 * it, so a reverse proxy may serve the console under any path.
 */
export function consoleRoutes(folder: string = SITE): FastifyPluginAsync {
  return async (server) => {
    await serveSite(server, {
      folder,
      contentSecurityPolicy: CONSOLE_POLICY,
      notBuiltPage: notBuiltPage('console', 'npm run build -w @hookline/console'),
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
  // Without the slash, the folder is the one above: /console is below /.
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
