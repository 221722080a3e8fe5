import { VERSION } from '@hookline/server/version'
import type { Output } from '../output/output.ts'
import { details } from '../output/details.ts'

/** What `hookline dev` has set up, in the form of `--json`. */
export interface DevReady {
  readonly kind: 'ready'
  readonly version: string
  readonly url: string
  /** The address of the console, for a browser. */
  readonly console: string
  readonly apiReference: string
  readonly dataDir: string
  readonly tokenFile: string | null
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
  readonly webhookUrl: string
  /** Whether programs and browsers on this machine need no token. */
  readonly isOpenHere: boolean
  readonly secretFile: string
  readonly allowedNetworks: readonly string[]
  /** A shell command that sends an event. */
  readonly curl: string
}

/** The same for people. */
export function banner(output: Output, ready: DevReady): string {
  const facts = details(output, [
    ['service', ready.url],
    ['console', ready.console],
    ['API reference', ready.apiReference],
    ['sign-in', ready.isOpenHere ? 'not needed on this machine' : 'needed'],
    ['data folder', ready.dataDir],
    ['write key', ready.writeKey],
    ['delivers to', ready.webhookUrl],
    ['shared secret', `in ${ready.secretFile}`],
    ['allowed networks', `${ready.allowedNetworks.join(', ')} (\`hookline start\` refuses them)`],
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

/** A shell command that sends a first event. Only its body needs quotes. */
export function curlLine(url: string, writeKey: string): string {
  const call = {
    userId: 'u1',
    event: 'Order Completed',
    properties: { orderId: 'o-1', revenue: 39.95 },
  }
  return `curl -u ${writeKey}: ${url}/v1/track -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'`
}
