import { ingestError } from '@hookline/protocol'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { escapeHtml } from '../util/escape-html.ts'
import { isHost } from './host-guard.ts'
import { sendError } from './responses.ts'

interface StartPageOptions {
  /** Whether the listener has the console: a browser then goes there. */
  readonly hasConsole: boolean
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

const LINKS = [
  ['/v1/docs', 'reference of the ingestion API'],
  ['/v1/openapi.json', 'the same as an OpenAPI document'],
] as const

/**
 * The page of a listener that has no console, as HTML, without scripts and other files. It is public: it shows nothing of the
 * management side. `callsUrl` is where calls are sent to, for example `http://127.0.0.1:4800`.
 */
function startPage(callsUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hookline</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Hookline</h1>
<p class="state">This service is running.</p>
<p>Hookline takes events from your applications over HTTP, keeps them on disk, and delivers them to your webhooks. Deliveries are
signed, and retried for hours.</p>
${firstCall(callsUrl)}
${links()}
</main>
</body>
</html>
`
}

function firstCall(callsUrl: string): string {
  return `<section aria-labelledby="first-call">
<h2 id="first-call">Send a first call</h2>
<p>Put a write key in place of <code>wk_…</code>. The operator of this service gives you one.</p>
<pre tabindex="0"><code>${escapeHtml(curl(callsUrl))}</code></pre>
<p>The response is <code>{"success":true}</code> when the call is on disk.</p>
</section>`
}

function curl(callsUrl: string): string {
  const call = { userId: 'u1', event: 'Order Completed' }
  return [
    `curl -u wk_…: ${callsUrl}/v1/track`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify(call)}'`,
  ].join(' \\\n')
}

function links(): string {
  const items = LINKS.map(
    ([path, meaning]) =>
      `<li><a href="${path}"><code>${path}</code></a> <span>${meaning}</span></li>`,
  )
  return `<section aria-labelledby="look">
<h2 id="look">Look around</h2>
<ul>
${items.join('\n')}
</ul>
</section>`
}

/** The style of the start page: one column; light or dark as the browser prefers. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #30363d); --dim: light-dark(#57606a, #9aa4af);
  --panel: light-dark(#f4f6f8, #161b22); --good: light-dark(#1a7f37, #3fb950) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#fff, #0d1117);
  color: light-dark(#1f2328, #e6edf3) }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.25rem, 6vw, 4rem) clamp(1rem, 5vw, 2rem) }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 } h1 small { font-size: 1rem; font-weight: 400; color: var(--dim) }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.15rem } p { margin: .5rem 0 }
.state { color: var(--good); font-weight: 600 }
.state::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .5em; border-radius: 50%;
  background: currentColor }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
pre { margin: .75rem 0; padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px;
  background: var(--panel) } pre code { overflow-wrap: normal }
ul { margin: 0; padding: 0; list-style: none }
li { display: grid; grid-template-columns: 9rem 1fr; gap: 0 1rem; padding: .4rem 0; border-top: 1px solid var(--line) }
li span { color: var(--dim) }
a { color: light-dark(#0550ae, #79c0ff) } a:focus-visible, pre:focus-visible { outline: 2px solid currentColor }
@media (max-width: 34rem) { li { grid-template-columns: 1fr } }
`.trim()

const STYLE_HASH = hash('sha256', STYLE, 'base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}
