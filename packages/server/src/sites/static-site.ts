import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { ingestError } from '@hookline/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setFileHeaders, setSiteHeaders } from './site-headers.ts'

export interface StaticSite {
  /** The folder with its files. It may be made while the service runs. */
  readonly folder: string
  readonly contentSecurityPolicy: string
  /** What a browser gets where the folder has no `404.html`: how to build the site. */
  readonly notBuiltPage: string
  /** Extensions that an address may leave out. */
  readonly extensions?: string[]
}

/** Responds with the files of a folder, and with nothing else. A path without a file gets a 404: a page, or JSON. */
export async function serveSite(server: FastifyInstance, site: StaticSite): Promise<void> {
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
  // A path that leads out of the folder, or that no file can have.
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
