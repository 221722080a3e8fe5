import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsync } from 'fastify'
import { notBuiltPage } from './not-built-page.ts'
import { DOCS_POLICY } from './site-headers.ts'
import { serveSite } from './static-site.ts'

/** Where `npm run docs:site` writes the pages; the published package has them. */
const SITE = fileURLToPath(new URL('../../docs-site/', import.meta.url))

/** The documentation as a site, to be registered under `/docs`. It contains no secret, and needs no token. */
export function docsRoutes(folder: string = SITE): FastifyPluginAsync {
  return async (server) => {
    await serveSite(server, {
      folder,
      contentSecurityPolicy: DOCS_POLICY,
      notBuiltPage: notBuiltPage('documentation', 'npm run docs:site'),
      extensions: ['html'],
    })
    server.get('/', (_request, reply) => reply.sendFile('index.html'))
    server.get<{ Params: { '*': string } }>('/*', (request, reply) =>
      reply.sendFile(request.params['*']),
    )
  }
}
