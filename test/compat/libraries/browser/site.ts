import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeCertificates } from '@hookline/testing/network/certificates'

const PAGES = fileURLToPath(new URL('pages/', import.meta.url))
const STANDALONE = 'node_modules/@segment/analytics-next/dist/umd'

interface SiteOptions {
  /** The folder of the installation. */
  readonly folder: string
  readonly writeKey: string
  /** The URL of the service, to which the site proxies `/v1/`. */
  readonly endpoint: string
  /** The content of `/snippet.js`, for the host of the site. */
  snippet(host: string): string
}

/** Serves the pages of all libraries over https. Returns the origin. */
export async function openSite(options: SiteOptions): Promise<string> {
  const { key, cert } = makeCertificates().good
  const server = createServer({ key, cert }, (incoming, response) => {
    respond(options, incoming, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

function respond(options: SiteOptions, incoming: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = incoming.url!.split('?')
  if (path.startsWith('/v1/')) return forward(options.endpoint, incoming, response)
  if (path === '/') return send(response, 'text/html', '<!doctype html><title>Läden</title>')
  if (path === '/snippet.js') {
    return send(response, 'text/javascript', options.snippet(incoming.headers.host!))
  }
  if (path.endsWith('/sourceConfig/') || path.endsWith('/sourceConfig')) {
    return send(response, 'application/json', JSON.stringify(sourceConfig(options.writeKey)))
  }
  sendFile(fileOf(options.folder, path), response)
}

function fileOf(folder: string, path: string): string {
  if (path.startsWith('/pages/')) return join(PAGES, path.slice('/pages/'.length))
  if (path.endsWith('/analytics.min.js')) return join(folder, STANDALONE, 'standalone.js')
  const [, bundle] = path.split('/analytics-next/bundles/')
  return bundle === undefined ? join(folder, path) : join(folder, STANDALONE, bundle)
}

function sendFile(path: string, response: ServerResponse): void {
  response.setHeader('content-type', 'text/javascript; charset=utf-8')
  createReadStream(path)
    .on('error', () => response.writeHead(404).end())
    .pipe(response)
}

function send(response: ServerResponse, type: string, text: string): void {
  response.setHeader('content-type', `${type}; charset=utf-8`)
  response.end(text)
}

function forward(endpoint: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers } = incoming
  const { host } = new URL(endpoint)
  const outgoing = request(endpoint + incoming.url, { method, headers: { ...headers, host } })
  outgoing.on('response', (reply) => {
    response.writeHead(reply.statusCode!, reply.headers)
    reply.pipe(response)
    reply.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  incoming.pipe(outgoing)
}

/** The source config that RudderStack's libraries load, without destinations. */
function sourceConfig(writeKey: string): object {
  const config = { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } }
  const source = { id: 'src', name: 'My shop', writeKey, enabled: true, workspaceId: 'none' }
  return { source: { ...source, config, destinations: [] } }
}
