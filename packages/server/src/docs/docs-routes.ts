import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { ingestError } from '@hookline/protocol'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { setDocsHeaders, setFileHeaders } from './docs-headers.ts'
import { NOT_BUILT_PAGE } from './not-built-page.ts'

/** Where `npm run docs:site` writes the pages; the published package has them. */
const SITE = fileURLToPath(new URL('../../docs-site/', import.meta.url))

/** The documentation as a site, to be registered under `/docs`. It contains no secret, and needs no token. */
export function docsRoutes(folder: string = SITE): FastifyPluginAsync {
  return async (server) => {
    await server.register(fastifyStatic, {
      root: folder,
      serve: false,
      suppressWarning: true,
      extensions: ['html'],
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: setFileHeaders,
    })
    const notFound = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      sendNotFound(folder, request, reply)
    server.addHook('onRequest', async (_request, reply) => setDocsHeaders(reply))
    server.setNotFoundHandler(notFound)
    // A path that leads out of the folder, or that no file can have.
    server.setErrorHandler<{ statusCode?: number }>((error, request, reply) => {
      if ((error.statusCode ?? 500) >= 500) throw error
      return notFound(request, reply)
    })
    server.get('/', (_request, reply) => reply.sendFile('index.html'))
    server.get<{ Params: { '*': string } }>('/*', (request, reply) =>
      reply.sendFile(request.params['*']),
    )
  }
}

/** Browsers get a page, programs get JSON. */
async function sendNotFound(
  folder: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = await readFile(join(folder, '404.html')).catch(() => undefined)
  void reply.code(404).header('cache-control', 'no-store')
  const isBrowser = request.headers.accept?.includes('text/html') ?? false
  if (!isBrowser)
    return reply.type('application/json; charset=utf-8').send(ingestError('not_found'))
  return reply.type('text/html; charset=utf-8').send(page ?? NOT_BUILT_PAGE)
}
