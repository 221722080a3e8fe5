import { partsOf } from './address.ts'
import { jsonText, scriptText, shellText } from './quoted.ts'

export interface SnippetTarget {
  /** The URL of the ingestion API, without a final slash. */
  readonly address: string
  readonly writeKey: string
}

/** Code that sends a first call. A test runs each snippet. */
export interface Snippet {
  readonly id: SnippetId
  readonly name: string
  readonly install?: string
  readonly file?: string
  readonly code: string
  readonly run?: string
  readonly note?: string
}

type SnippetId = 'curl' | 'client' | 'segment' | 'browser' | 'go' | 'python'

export function snippetsFor(target: SnippetTarget): readonly Snippet[] {
  return [
    curl(target),
    client(target),
    segmentNode(target),
    segmentBrowser(target),
    go(target),
    python(target),
  ]
}

function curl({ address, writeKey }: SnippetTarget): Snippet {
  const call = { userId: 'u1', event: 'Order Completed', properties: { revenue: 39.95 } }
  return {
    id: 'curl',
    name: 'cURL',
    code: [
      `curl ${shellText(`${address}/v1/track`)} \\`,
      `  -u ${shellText(`${writeKey}:`)} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '${JSON.stringify(call)}'`,
    ].join('\n'),
    note: 'The write key is the user name; the password is empty. {"success":true} means the event is stored.',
  }
}

function client({ address, writeKey }: SnippetTarget): Snippet {
  return {
    id: 'client',
    name: '@hookline/client',
    install: 'npm install ../hookline/tarballs/protocol.tgz ../hookline/tarballs/client.tgz',
    file: 'first-call.mjs',
    code: `import { Analytics } from '@hookline/client'

const analytics = new Analytics(${scriptText(writeKey)}, {
  endpoint: ${scriptText(address)},
})
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { revenue: 39.95 } })
await analytics.close()`,
    run: 'node first-call.mjs',
    note: 'Until the package is published, first run npm run pack in ../hookline, your clone of Hookline. The library retries automatically and reports every failed call.',
  }
}

function segmentNode({ address, writeKey }: SnippetTarget): Snippet {
  const { origin, path } = partsOf(address)
  return {
    id: 'segment',
    name: '@segment/analytics-node',
    install: 'npm install @segment/analytics-node',
    file: 'first-call.mjs',
    code: `import { Analytics } from '@segment/analytics-node'

const analytics = new Analytics({
  writeKey: ${scriptText(writeKey)},
  host: ${scriptText(origin)},${path === '' ? '' : `\n  path: ${scriptText(`${path}/v1/batch`)},`}
})
analytics.on('error', (error) => console.error(error))
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { revenue: 39.95 } })
await analytics.closeAndFlush()`,
    run: 'node first-call.mjs',
    note: 'Segment’s library; only the host changes.',
  }
}

function segmentBrowser({ address, writeKey }: SnippetTarget): Snippet {
  const { path } = partsOf(address)
  const settings = `{
  writeKey: ${scriptText(writeKey)},
  cdnURL: ${scriptText(address)},
}`
  return {
    id: 'browser',
    name: 'analytics.js',
    install: 'npm install @segment/analytics-next',
    code: `import { AnalyticsBrowser } from '@segment/analytics-next'

const analytics = AnalyticsBrowser.load(${settings}${path === '' ? '' : `, ${browserHost(address)}`})
analytics.track('Order Completed', { revenue: 39.95 })`,
    note: 'For web pages. Bundle the library with your application: Hookline serves only the library’s settings.',
  }
}

/** The settings contain the host, but not the path that a proxy may add. */
function browserHost(address: string): string {
  const url = new URL(address)
  const host = `apiHost: ${scriptText(`${url.host}${url.pathname}/v1`)}`
  const protocol = `protocol: ${scriptText(url.protocol.slice(0, -1))}`
  return `{
  integrations: { 'Segment.io': { ${host}, ${protocol} } },
}`
}

function go({ address, writeKey }: SnippetTarget): Snippet {
  return {
    id: 'go',
    name: 'Go',
    file: 'first-call.go',
    code: `package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"time"
)

func main() {
	call, err := json.Marshal(map[string]any{
		"messageId":  rand.Text(), // A retry with the same id is not stored again.
		"userId":     "u1",
		"event":      "Order Completed",
		"properties": map[string]any{"revenue": 39.95},
	})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", ${jsonText(`${address}/v1/track`)}, bytes.NewReader(call))
	if err != nil {
		log.Fatal(err)
	}
	request.SetBasicAuth(${jsonText(writeKey)}, "")
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	log.Println(response.Status, string(body), err)
}`,
    run: 'go run first-call.go',
    note: 'Go 1.24 or newer, standard library only. Segment’s analytics-go library also works.',
  }
}

function python({ address, writeKey }: SnippetTarget): Snippet {
  return {
    id: 'python',
    name: 'Python',
    file: 'first_call.py',
    code: `import base64
import json
import urllib.request
import uuid

WRITE_KEY = ${jsonText(writeKey)}
call = {
    "messageId": str(uuid.uuid4()),  # A retry with the same id is not stored again.
    "userId": "u1",
    "event": "Order Completed",
    "properties": {"revenue": 39.95},
}
request = urllib.request.Request(
    ${jsonText(`${address}/v1/track`)},
    data=json.dumps(call).encode(),
    headers={
        "Content-Type": "application/json",
        "Authorization": "Basic " + base64.b64encode(f"{WRITE_KEY}:".encode()).decode(),
    },
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(response.status, response.read().decode())`,
    run: 'python3 first_call.py',
    note: 'Python 3.9 or newer, standard library only. segment-analytics-python also works.',
  }
}
