import { VERSION } from '@hookline/server/version'
import type { Command } from 'commander'
import { type ManagementApi, managementApi } from '../../api/management-api.ts'
import { makeSignInLink } from '../../api/sign-in-link.ts'
import { Cluster } from '../../cluster/cluster.ts'
import { clusterBanner, type ClusterReady } from '../../cluster/cluster-banner.ts'
import { ClusterFolder, defaultFolder } from '../../cluster/cluster-folder.ts'
import { KeptProcesses } from '../../cluster/kept-processes.ts'
import { portOf } from '../../cluster/ports.ts'
import { postgresUser } from '../../cluster/server-programs.ts'
import type { ProgramListener } from '../../cluster/supervised-program.ts'
import { demoObjects, demoSecret } from '../../dev/demo-objects.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { deliveryLine } from '../../receiver/delivery-text.ts'
import { Receiver } from '../../receiver/receiver.ts'
import { logLine } from '../../service/log-line.ts'
import { stopSignal } from '../../service/stop-signal.ts'

interface ClusterFlags {
  readonly nodes: number
  readonly port: number
  readonly dataDir?: string
}

/** More nodes than this have no use on one machine. */
const MOST_NODES = 9

/** `hookline cluster`, which is `npm run cluster` */
export function addCluster(program: Command): void {
  program
    .command('cluster')
    .description(
      'try a cluster: start PostgreSQL, NATS and nodes here, with a demo source, and start again what ends',
    )
    .option('--nodes <number>', 'how many nodes', wholeNumber(1, MOST_NODES), 3)
    .option(
      '--port <port>',
      'port of the first node; the others have the next ones; 0 takes free ones',
      wholeNumber(0, 65_535 - MOST_NODES),
      4811,
    )
    .option('--data-dir <folder>', 'folder of everything that is kept (default: ./cluster-data)')
    .action(async (flags: ClusterFlags, command: Command) => cluster(flags, outputOf(command)))
}

async function cluster({ nodes, port, dataDir }: ClusterFlags, output: Output): Promise<void> {
  const stop = stopSignal()
  const user = postgresUser()
  const folder = new ClusterFolder(dataDir ?? defaultFolder(user), user)
  const kept = new KeptProcesses(folder)
  const left = kept.endLeft()
  if (left.length > 0)
    output.note(`An earlier run was killed. Ended what it has left: ${left.join(', ')}.`)
  await using receiver = await openReceiver(folder, output)
  const on = listener(output)
  const onLine = (name: string, line: string): void => output.note(`${name}: ${shown(line)}`)
  await using started = await Cluster.open({ folder, kept, user, nodes, port, on, onLine })
  await announce(started, { folder, webhookUrl: receiver.url, output })
  const reason = await stop
  output.show('Stopping …')
  output.json({ kind: 'stopping', reason })
}

async function openReceiver(folder: ClusterFolder, output: Output): Promise<Receiver> {
  const { secret } = demoSecret(folder.path)
  const receiver = new Receiver({
    port: await portOf(folder, 'receiver'),
    secret,
    onDelivery: (delivery) => output.data(delivery, () => deliveryLine(output, delivery)),
  })
  return receiver.listen()
}

async function announce(
  { nodes, servers, adminToken }: Cluster,
  {
    folder,
    webhookUrl,
    output,
  }: { readonly folder: ClusterFolder; readonly webhookUrl: string; readonly output: Output },
): Promise<void> {
  const base = new URL(nodes[0]!.url)
  const api = managementApi(base, adminToken.secret)
  const { secret } = demoSecret(folder.path)
  const demo = await demoObjects(api, { url: webhookUrl, secret })
  const about = { nodes, servers, dataDir: folder.path, tokenFile: adminToken.file }
  const ready: ClusterReady = { kind: 'ready', version: VERSION, ...about, ...demo, webhookUrl }
  const link = await signInLink(base, api)
  output.data(ready, () => clusterBanner(output, ready, link))
}

/** What is no terminal may be kept, and a link is a secret. */
async function signInLink(base: URL, api: ManagementApi): Promise<string | undefined> {
  return process.stdout.isTTY ? (await makeSignInLink(base, api)).url : undefined
}

/** Tells what happens to the programs. */
function listener(output: Output): ProgramListener {
  return {
    started: (name, pid) => output.json({ kind: 'started', name, pid }),
    ready: (name, pid, again) => {
      output.json({ kind: 'running', name, pid })
      if (again) output.show(`${name} runs again, as process ${pid}.`)
      else output.note(`${name} runs.`)
    },
    ended: (name, pid, how) => {
      output.json({ kind: 'ended', name, pid, how })
      output.show(`${name} (process ${pid}) has ended ${how}. Starting it again.`)
    },
  }
}

/** A line of the log, or what else a program has written. */
function shown(line: string): string {
  try {
    return logLine(line)
  } catch {
    return line
  }
}
