import { randomBytes } from 'node:crypto'
import { type ClusterNamespace, ClusterDatabase, type ClusterServers } from './cluster-servers.ts'
import { EndToEndLoad } from './end-to-end-load.ts'
import { EventReceiver } from './event-receiver.ts'
import { type IngestLoad, sendingCalls } from './loaded-program.ts'
import { ServiceProcess } from './service-process.ts'

/** The number of nodes of a cluster; 0 is the embedded backend, in one process. */
export type Nodes = number

interface LoadResult {
  readonly events: number
  readonly seconds: number
}

/** A service under load, with either backend. */
export interface LoadedNodes extends AsyncDisposable {
  readonly nodes: readonly ServiceProcess[]
  /** Absent for the embedded backend. */
  readonly place: ClusterNamespace | undefined
  /** Loads the nodes, and resolves when all accepted events have been fully processed. */
  load(seconds: number): Promise<LoadResult>
}

const ARCHIVED_POLL_MS = 2
const DEADLINE_MS = 120_000

/** Calls without a destination, which are fully processed once they are archived. */
export async function loadedIngestion(
  servers: ClusterServers,
  count: Nodes,
  calls: IngestLoad,
): Promise<LoadedNodes> {
  await using stack = new AsyncDisposableStack()
  const { nodes, place } = await startNodes(stack, servers, count)
  const { writeKey } = await nodes[0]!.addSource()
  await untilAllNodesHaveSource(nodes, writeKey)
  const database = place && stack.use(await ClusterDatabase.open(place))
  const send = sendingCalls({ ...calls, port: nodes.map(({ port }) => port), writeKey })
  const load = async (seconds: number): Promise<LoadResult> => {
    const before = (await database?.archived()) ?? 0
    const started = performance.now()
    const events = await send(seconds)
    if (database) await archived(database, before + events)
    return { events, seconds: (performance.now() - started) / 1000 }
  }
  return { nodes, place, load, ...disposing(stack.move()) }
}

/** Calls with one destination, from the call to the receiver. */
export async function loadedDelivering(
  servers: ClusterServers,
  count: Nodes,
  calls: number,
): Promise<LoadedNodes> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await new EventReceiver().open())
  const { nodes, place } = await startNodes(stack, servers, count)
  const { writeKey } = await nodes[0]!.addSource(receiver.urlOf('/hook'))
  await untilAllNodesHaveSource(nodes, writeKey)
  const port = nodes.map((node) => node.port)
  const endToEnd = stack.use(await EndToEndLoad.open({ port, writeKey, receiver, count: calls }))
  const load = async (seconds: number): Promise<LoadResult> => {
    const [started, sent] = [performance.now(), endToEnd.sent]
    await endToEnd.throughput(seconds)
    return { events: endToEnd.sent - sent, seconds: (performance.now() - started) / 1000 }
  }
  return { nodes, place, load, ...disposing(stack.move()) }
}

async function startNodes(
  stack: AsyncDisposableStack,
  servers: ClusterServers,
  count: Nodes,
): Promise<{
  readonly nodes: readonly ServiceProcess[]
  readonly place: ClusterNamespace | undefined
}> {
  if (count === 0) return { nodes: [stack.use(await ServiceProcess.start())], place: undefined }
  const place = await servers.newNamespace()
  const settings = {
    backend: 'cluster',
    ...place,
    natsUrl: servers.nats.url,
    encryptionKey: randomBytes(32).toString('base64'),
    adminToken: `tok_${randomBytes(12).toString('hex')}`,
  }
  const start = async (): Promise<ServiceProcess> =>
    stack.use(await ServiceProcess.start(undefined, undefined, settings))
  // The first node creates the tables.
  const first = await start()
  const others = await Promise.all(Array.from({ length: count - 1 }, start))
  return { nodes: [first, ...others], place }
}

/** Resolves when every node has the source. */
async function untilAllNodesHaveSource(
  nodes: readonly ServiceProcess[],
  writeKey: string,
): Promise<void> {
  for (const node of nodes) while (!(await node.accepts(writeKey))) await sleep()
}

async function archived(database: ClusterDatabase, events: number): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while ((await database.archived()) < events) {
    if (performance.now() > deadline) throw new Error('The archive has fallen behind the log.')
    await sleep()
  }
}

function sleep(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ARCHIVED_POLL_MS))
}

function disposing(stack: AsyncDisposableStack): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
