import { VERSION } from '@hookline/server/version'
import type { Output } from '../output/output.ts'
import { sheet } from '../output/table.ts'

/** What a session of `hookline dev` offers. The shape is what `--json` shows. */
export interface DevReady {
  readonly kind: 'ready'
  readonly version: string
  readonly url: string
  readonly dataDir: string
  readonly tokenFile: string | null
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
  readonly webhookUrl: string
  readonly secretFile: string
  readonly allowedNetworks: readonly string[]
  /** Sends an event when pasted into a shell. */
  readonly curl: string
}

/** The same for people. */
export function banner(output: Output, ready: DevReady): string {
  const facts = sheet(output, [
    ['service', ready.url],
    ['data', ready.dataDir],
    ['write key', ready.writeKey],
    ['delivers to', ready.webhookUrl],
    ['signed with', `the shared secret in ${ready.secretFile}`],
    ['also allowed', `webhooks on ${ready.allowedNetworks.join(', ')}, unlike with hookline start`],
  ])
  return [
    '',
    output.style(['bold', 'cyan'], `Hookline ${VERSION}`),
    facts,
    '',
    output.style('bold', 'Send an event from another terminal:'),
    ready.curl,
    '',
    'Deliveries appear here. Ctrl-C stops.',
    '',
  ].join('\n')
}
