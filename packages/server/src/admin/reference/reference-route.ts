import type { FastifyPluginAsync } from 'fastify'
import { type OpenapiDocument, referencePage } from './reference-page.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** `/api/docs`: the reference of the API, rendered from its OpenAPI document at the first request. It contains no secret. */
export function referenceRoute(load: () => Promise<OpenapiDocument>): FastifyPluginAsync {
  return async (server) => {
    // Made once, and as bytes, which the connections share.
    let page: Promise<Buffer> | undefined
    server.get('/api/docs', async (_request, reply) => {
      page ??= load().then((document) => Buffer.from(referencePage(document)))
      return reply.headers(HEADERS).send(await page)
    })
  }
}
