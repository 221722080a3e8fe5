import { VERSION } from '@hookline/server/version'
import { curlLine } from '../dev/banner.ts'
import { details } from '../output/details.ts'
import type { Output } from '../output/output.ts'
import type { ClusterPart } from './cluster.ts'

/** What `hookline cluster` has set up, in the form of `--json`. */
export interface ClusterReady {
  readonly kind: 'ready'
  readonly version: string
  readonly nodes: readonly (ClusterPart & { readonly url: string })[]
  readonly servers: readonly ClusterPart[]
  readonly dataDir: string
  readonly tokenFile: string
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
  readonly webhookUrl: string
}

/** The same for people. `signInLink` is a secret, which is shown on a terminal only. */
export function clusterBanner(output: Output, ready: ClusterReady, signInLink?: string): string {
  const { nodes, servers, dataDir, writeKey, webhookUrl } = ready
  const shown = (name: string, pid: number, what: string) =>
    [name, `${what}(process ${pid})`] as const
  const facts = details(output, [
    ...nodes.map(({ name, pid, url }) => shown(name, pid, `${url}  `)),
    ...servers.map(({ name, pid }) => shown(name, pid, '')),
    ['console', signInLink ?? `${nodes[0]!.url}/console/`],
    ['data folder', dataDir],
    ['write key', writeKey],
    ['delivers to', `${webhookUrl} (this command)`],
  ])
  const title = (text: string): string => output.style('bold', text)
  return [
    '',
    output.style(['bold', 'cyan'], `Hookline ${VERSION}, ${nodes.length} nodes`),
    facts,
    '',
    title('Send an event to any node, from another terminal:'),
    ...nodes.map(({ url }) => curlLine(url, writeKey)),
    '',
    title('Kill any process. It is started again, and no event that got a 200 is lost:'),
    ...[...nodes, ...servers].map(({ name, pid }) => `kill -9 ${pid}   # ${name}`),
    '',
    title('Ask the service:'),
    `npx hookline system --url ${nodes.at(-1)!.url} --data-dir ${dataDir}`,
    '',
    'Deliveries appear here. Press Ctrl-C to stop everything. The next start goes on with the same data.',
    '',
  ].join('\n')
}
