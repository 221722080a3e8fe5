import type { Cluster, Node } from './nodes.ts'

/** Something that goes wrong in a cluster, and what mends it. */
export interface Fault {
  readonly name: string
  /** Resolves when it is over: what was killed runs again. */
  readonly happen: (cluster: Cluster, random: () => number) => Promise<void>
}

/** How long what was killed stays away. */
const MOST_AWAY_MS = 1_500

/** The kinds of faults, the likelier ones more than once. */
export const FAULTS: readonly Fault[] = [
  { name: 'a node is killed', happen: killNode },
  { name: 'a node is killed', happen: killNode },
  { name: 'a node stops gracefully', happen: stopNode },
  { name: 'a node is paused', happen: pauseNode },
  {
    name: 'PostgreSQL is killed',
    happen: (cluster, random) => killServer(cluster.postgres.server, random),
  },
  { name: 'NATS is killed', happen: (cluster, random) => killServer(cluster.nats.server, random) },
]

async function killNode({ nodes }: Cluster, random: () => number): Promise<void> {
  const node = oneOf(nodes, random)
  await node.kill()
  await away(random)
  node.startAgain()
  await node.ready()
}

async function stopNode({ nodes }: Cluster, random: () => number): Promise<void> {
  const node = oneOf(nodes, random)
  await node.stop()
  node.startAgain()
  await node.ready()
}

async function pauseNode({ nodes }: Cluster, random: () => number): Promise<void> {
  const node = oneOf(nodes, random)
  node.signal('SIGSTOP')
  try {
    await away(random)
  } finally {
    node.signal('SIGCONT')
  }
}

async function killServer(server: Cluster['nats']['server'], random: () => number): Promise<void> {
  await server.kill()
  await away(random)
  await server.start()
}

function away(random: () => number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, random() * MOST_AWAY_MS))
}

function oneOf(nodes: readonly Node[], random: () => number): Node {
  return nodes[Math.floor(random() * nodes.length)]!
}
