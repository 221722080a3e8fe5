import { INSPECTOR_URL } from '@hookline/protocol'
import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { managementApi } from '../../api/management-api.ts'
import { startCluster } from '../../cluster/local-cluster.ts'
import { curlLine } from '../../dev/banner.ts'
import { demoObjects, demoSecret } from '../../dev/demo-objects.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { details } from '../../output/details.ts'
import { outputOf } from '../../output/output.ts'
import { stopSignal } from '../../service/stop-signal.ts'

export function addCluster(program: Command): void {
  program
    .command('cluster')
    .description('run a local three-node cluster with a demo source and destination')
    .option('--port <port>', 'first of six consecutive ports', wholeNumber(1, 65_530), 4811)
    .option('--data-dir <folder>', 'folder for data, secrets and logs', 'cluster-data')
    .action(cluster)
}

async function cluster(
  { port, dataDir }: { readonly port: number; readonly dataDir: string },
  command: Command,
): Promise<void> {
  const output = outputOf(command)
  const stop = stopSignal()
  const folder = resolve(dataDir)
  await using stack = new AsyncDisposableStack()
  const note = (line: string): void => output.note(line)
  const { adminToken, nodes, servers } = await startCluster({ folder, port, note }, stack)
  const urls = nodes.map(({ url }) => url)
  const api = managementApi(new URL(urls[0]!), adminToken)
  const { secret } = demoSecret(folder)
  const demo = await demoObjects(api, { url: INSPECTOR_URL, secret })
  output.data({ kind: 'ready', version: VERSION, dataDir: folder, nodes, servers, ...demo }, () =>
    [
      output.style(['bold', 'cyan'], `Hookline ${VERSION}, three nodes`),
      details(output, [
        ...nodes.map(({ name, url, pid }) => [name, `${url} (process ${pid})`] as const),
        ...servers.map(({ name, pid }) => [name, `process ${pid}`] as const),
        ['data folder', folder],
        ['write key', demo.writeKey],
      ]),
      '',
      output.style('bold', 'From another terminal, send an event, show its delivery, and sign in:'),
      curlLine(urls[0]!, demo.writeKey),
      `npx hookline inspector --url ${urls[1]} --data-dir ${folder}`,
      `npx hookline console --url ${urls[2]} --data-dir ${folder}`,
      '',
      'If you kill a node, the others deliver its events. Press Ctrl-C to stop. The data is kept.',
    ].join('\n'),
  )
  await stop
  output.show('Stopping …')
}
