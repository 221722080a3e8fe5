import { VERSION } from '@hookline/server/version'
import type { Output } from '../output/output.ts'
import { details } from '../output/details.ts'

/** The `--json` output of `hookline dev`. */
export interface DevReady {
  readonly kind: 'ready'
  readonly version: string
  readonly url: string
  readonly console: string
  readonly apiReference: string
  readonly dataDir: string
  readonly tokenFile: string | null
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
  readonly webhookUrl: string
  /** Whether requests from this machine need no token. */
  readonly allowsLocalAccess: boolean
  readonly secretFile: string
  readonly allowedNetworks: readonly string[]
  readonly curl: string
}

export function banner(output: Output, ready: DevReady): string {
  const facts = details(output, [
    ['service', ready.url],
    ['console', ready.console],
    ['API reference', ready.apiReference],
    ['sign-in', ready.allowsLocalAccess ? 'not needed on this machine' : 'needed'],
    ['data folder', ready.dataDir],
    ['write key', ready.writeKey],
    ['webhook', ready.webhookUrl],
    ['shared secret', `in ${ready.secretFile}`],
    [
      'allowed networks',
      `${ready.allowedNetworks.join(', ')} (blocked by default with \`hookline start\`)`,
    ],
  ])
  return [
    '',
    output.style(['bold', 'cyan'], `Hookline ${VERSION}`),
    facts,
    '',
    output.style('bold', 'Send an event from another terminal:'),
    ready.curl,
    '',
    'Deliveries appear here. Press Ctrl-C to stop.',
    '',
  ].join('\n')
}

/** A shell command that sends an event. */
export function curlLine(url: string, writeKey: string): string {
  const call = {
    userId: 'u1',
    event: 'Order Completed',
    properties: { orderId: 'o-1', revenue: 39.95 },
  }
  return `curl -u ${writeKey}: ${url}/v1/track -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'`
}
