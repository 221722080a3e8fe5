import { ingestError } from '@hookline/protocol'
import type { FastifyPluginAsync } from 'fastify'
import { hash } from 'node:crypto'
import { sendError } from './responses.ts'

const HINT = 'Send calls as POST requests, for example to /v1/track.'
const CONSOLE_HINT = ' To use the console, open this address in a browser.'

/** `/`: redirects browsers to the console, or shows a page. Programs get a 404 in JSON, with a hint. */
export function startPageRoute(options: { readonly hasConsole: boolean }): FastifyPluginAsync {
  return async (server) => {
    server.get('/', ({ headers: { accept = '' } }, reply) => {
      void reply.header('vary', 'Accept')
      if (!accept.includes('text/html')) {
        const body = JSON.stringify({
          ...ingestError('not_found'),
          hint: HINT + (options.hasConsole ? CONSOLE_HINT : ''),
        })
        const format = { status: 404, contentType: 'application/json; charset=utf-8', body }
        sendError(reply, 'not_found', () => format)
        return
      }
      // Relative, so that it works behind a reverse proxy with a path prefix.
      if (options.hasConsole) void reply.header('cache-control', 'no-store').redirect('console/')
      else void reply.headers(HEADERS).send(PAGE)
    })
  }
}

const STYLE = `:root { color-scheme: light dark }
body { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; font: 16px/1.6 system-ui, sans-serif }`

/** The page of a listener without a console. It is public, so it reveals nothing about management. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hookline</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Hookline</h1>
<p>This service is running. It receives events over HTTP, stores them, and delivers them to webhooks.</p>
</main>
</body>
</html>
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}
