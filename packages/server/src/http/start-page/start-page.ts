import { escapeHtml } from '../../util/escape-html.ts'
import { START_PAGE_STYLE } from './start-page-style.ts'

type Link = readonly [path: string, meaning: string]

const LINKS: readonly Link[] = [
  ['/v1/docs', 'reference of the ingestion API'],
  ['/v1/openapi.json', 'the same as an OpenAPI document'],
]

/**
 * The page of a listener that has no console, as HTML, without scripts and other files. It is public: it shows nothing of the
 * management side. `callsUrl` is where calls are sent to, for example `http://127.0.0.1:4800`.
 */
export function startPage(callsUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hookline</title>
<style>${START_PAGE_STYLE}</style>
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
