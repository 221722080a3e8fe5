import { ingestError } from '@hookline/protocol'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { isHost } from '../host-guard.ts'
import { sendError } from '../responses.ts'
import { startPage } from './start-page.ts'
import { START_PAGE_STYLE } from './start-page-style.ts'

export interface StartPageOptions {
  /** Whether the listener has the console: a browser then goes there. */
  readonly hasConsole: boolean
}

const STYLE_HASH = hash('sha256', START_PAGE_STYLE, 'base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const HINT =
  'Send calls with POST to /v1/track and the like. A browser that opens this address gets a page.'

/**
 * `/`: for browsers, the way to the console, or a page where there is none. A program, which does not ask for HTML, gets the
 * JSON of an unknown path, with a hint.
 */
export function startPageRoute({ hasConsole }: StartPageOptions): FastifyPluginAsync {
  return async (server) => {
    server.get('/', (request, reply) => {
      void reply.header('vary', 'Accept')
      if (!asksForHtml(request.headers.accept)) {
        const body = JSON.stringify({ ...ingestError('not_found'), hint: HINT })
        const format = { status: 404, contentType: 'application/json; charset=utf-8', body }
        sendError(reply, 'not_found', () => format)
        return
      }
      // Relative, so that it is true behind a reverse proxy with a path of its own.
      if (hasConsole) void reply.header('cache-control', 'no-store').redirect('console/')
      else void reply.headers(HEADERS).send(startPage(addressOf(request)))
    })
  }
}

/** Whether an `Accept` names HTML. The wildcard of programs does not. */
function asksForHtml(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim())
    return type === 'text/html' && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
  })
}

/** The address by which the browser reached the service. */
function addressOf({ protocol, host, socket }: FastifyRequest): string {
  const own = socket.localPort === undefined ? '127.0.0.1' : `127.0.0.1:${socket.localPort}`
  return `${protocol === 'https' ? 'https' : 'http'}://${isHost(host) ? host : own}`
}
