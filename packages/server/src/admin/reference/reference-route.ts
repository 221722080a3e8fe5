import type { FastifyPluginAsync } from 'fastify'
import type { OpenapiDocument } from './openapi-document.ts'
import { type ReferencePart, referencePage } from './reference-page.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** An API, and the path of its OpenAPI document on this server. */
interface ReferenceApi {
  readonly path: string
  readonly load: () => Promise<OpenapiDocument>
}

/** The reference of one or several APIs, rendered from their OpenAPI documents at the first request. It contains no secret. */
export function referenceRoute(path: string, apis: readonly ReferenceApi[]): FastifyPluginAsync {
  return async (server) => {
    // Made once, and as bytes, which the connections share.
    let page: Promise<Buffer> | undefined
    server.get(path, async (_request, reply) => {
      page ??= Promise.all(apis.map(partOf)).then((parts) => Buffer.from(referencePage(parts)))
      return reply.headers(HEADERS).send(await page)
    })
  }
}

async function partOf({ path, load }: ReferenceApi): Promise<ReferencePart> {
  return { path, document: await load(), lead: path.startsWith('/api/') ? MANAGEMENT : INGESTION }
}

const MANAGEMENT = `Every request except for the OpenAPI document needs <code>Authorization: Bearer &lt;token&gt;</code>,
with the admin token or a token created with <code>POST /tokens</code>. Every error response is a
<a href="#Problem">Problem</a>.`

const INGESTION = `Every request with calls needs the write key of a source: as the user name of
<code>Authorization: Basic</code>, as <code>Authorization: Bearer &lt;key&gt;</code>, as <code>X-Write-Key</code>, as
<code>?writeKey=</code> or as <code>writeKey</code> in the body. Every error response is an <a href="#Error">Error</a>.`
