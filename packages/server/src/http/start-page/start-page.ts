import { escapeHtml } from '../../util/escape-html.ts'
import { START_PAGE_STYLE } from './start-page-style.ts'

/** What a listener serves. With `adminPort`, the one for calls shows nothing of the management side. */
type Served = 'everything' | 'calls' | 'management'

/** What the page shows. It has no secret. */
export interface StartPageFacts {
  readonly served: Served
  readonly version: string
  /** Where calls are sent to, for example `http://127.0.0.1:4800`. */
  readonly callsUrl: string
}

type Link = readonly [path: string, meaning: string]

const MANAGEMENT_LINKS: readonly Link[] = [
  ['/docs', 'documentation: tutorials, guides and references'],
  ['/api/docs', 'reference of the ingestion API and of the management API'],
  ['/readyz', 'whether the service is ready, with each check'],
  ['/livez', 'whether the process responds'],
  ['/metrics', 'metrics for Prometheus'],
]

const CALLS_LINKS: readonly Link[] = [
  ['/v1/docs', 'reference of the ingestion API'],
  ['/v1/openapi.json', 'the same as an OpenAPI document'],
]

/** The page of the service's address as HTML, without scripts and other files. */
export function startPage(facts: StartPageFacts): string {
  const { served, version } = facts
  const isPublic = served === 'calls'
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
<h1>Hookline${isPublic ? '' : ` <small>${escapeHtml(version)}</small>`}</h1>
<p class="state">This service is running.</p>
<p>Hookline takes events from your applications over HTTP, keeps them on disk, and delivers them to your webhooks. Deliveries are
signed, and retried for hours.</p>
${firstCall(facts)}
${links(isPublic ? CALLS_LINKS : MANAGEMENT_LINKS)}
${isPublic ? '' : ADMIN_TOKEN}
</main>
</body>
</html>
`
}

function firstCall({ served, callsUrl }: StartPageFacts): string {
  return `<section aria-labelledby="first-call">
<h2 id="first-call">Send a first call</h2>
<p>Put a write key in place of <code>wk_…</code>. ${served === 'calls' ? 'The operator of this service gives you one.' : WRITE_KEY}</p>
<pre tabindex="0"><code>${escapeHtml(curl(callsUrl))}</code></pre>
<p>The response is <code>{"success":true}</code> when the call is on disk.</p>
</section>`
}

const WRITE_KEY =
  '<code>npm start</code> prints one. <code>npx hookline sources create "My shop"</code> creates a source and prints its write key.'

function curl(callsUrl: string): string {
  const call = { userId: 'u1', event: 'Order Completed' }
  return [
    `curl -u wk_…: ${callsUrl}/v1/track`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify(call)}'`,
  ].join(' \\\n')
}

function links(all: readonly Link[]): string {
  const items = all.map(
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

const ADMIN_TOKEN = `<section aria-labelledby="token">
<h2 id="token">The admin token</h2>
<p>The management API at <code>/api/v1</code> needs a token. The first start of the service writes the admin token to the file
<code>admin-token</code> in the data folder, and shows it once. If <code>HOOKLINE_ADMIN_TOKEN</code> is set, that is the token. On
this machine, the commands of <code>npx hookline</code> find it by themselves.</p>
</section>`
