import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../network/free-port.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { CONDITION_MS } from '../run/condition-ms.ts'
import { Link } from './link.ts'
import { natsProgram } from './programs.ts'
import { StartedServer } from './started-server.ts'

const MAX_FILE_STORE_BYTES = 48 * 1024 * 1024
/** The address that servers advertise to each other, so that they use only the configured links. */
const NOWHERE = '127.0.0.1:1'

export interface NatsNode {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly server: StartedServer
  /** The links to each other server, for connections opened by this one. */
  readonly routes: readonly Link[]
  /** The links from each other server, for connections opened by the others. */
  readonly routesHere: readonly Link[]
}

/** NATS servers that form a JetStream cluster, or a single server without clustering. */
export class NatsServers implements AsyncDisposable {
  readonly all: readonly NatsNode[]
  readonly folder: string
  readonly #stack: AsyncDisposableStack

  private constructor(all: readonly NatsNode[], folder: string, stack: AsyncDisposableStack) {
    this.all = all
    this.folder = folder
    this.#stack = stack
  }

  /** @param mount mounts a disk at a server's folder */
  static async start(count: number, mount?: (folder: string) => Disposable): Promise<NatsServers> {
    const program = natsProgram()!
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const numbers = Array.from({ length: count }, (_, number) => number)
    const routePorts = await Promise.all(numbers.map(() => freePort()))
    const routes: Link[][] = []
    for (const from of numbers) {
      const others = numbers.filter((to) => to !== from)
      routes.push(
        await Promise.all(others.map(async (to) => stack.use(await Link.open(routePorts[to]!)))),
      )
    }
    const nodes = await Promise.all(
      numbers.map((number) =>
        openNode({ program, number, routePort: routePorts[number]!, routes, folder: folder.path }),
      ),
    )
    for (const node of nodes) stack.use(mount?.(node.folder))
    for (const { server } of nodes) stack.use(server)
    await Promise.all(nodes.map(({ server }) => server.start()))
    const servers = new NatsServers(nodes, folder.path, stack.move())
    try {
      await servers.#elected()
      return servers
    } catch (error) {
      await servers[Symbol.asyncDispose]()
      throw error
    }
  }

  get url(): string {
    return this.all.map(({ port }) => `nats://127.0.0.1:${port}`).join()
  }

  async with<T>(
    use: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
  ): Promise<T> {
    const servers = this.all.map(({ port }) => `127.0.0.1:${port}`)
    const connection = await connect({ servers, timeout: 2_000, reconnect: false })
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 3_000 })
      return await use(manager, connection)
    } finally {
      await connection.close()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }

  /** Resolves when JetStream responds, after several servers have elected a leader. */
  async #elected(): Promise<void> {
    const deadline = performance.now() + CONDITION_MS
    for (;;) {
      try {
        await this.with((manager) => manager.getAccountInfo())
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
    }
  }
}

interface NodeOptions {
  readonly program: string
  readonly number: number
  readonly routePort: number
  /** For each server, the links to the others in order. */
  readonly routes: readonly (readonly Link[])[]
  readonly folder: string
}

async function openNode({
  program,
  number,
  routePort,
  routes,
  folder,
}: NodeOptions): Promise<NatsNode> {
  const name = `nats-${number}`
  const port = await freePort()
  const home = join(folder, name)
  mkdirSync(home)
  const own = routes[number]!
  const urls = own.map((link) => `"nats://127.0.0.1:${link.port}"`).join(', ')
  // Clients also stay on the configured links.
  const cluster = `cluster { name: test, listen: "127.0.0.1:${routePort}", no_advertise: true,
    advertise: "${NOWHERE}", routes: [${urls}] }`
  const file = `${home}.conf`
  writeFileSync(
    file,
    `server_name: "${name}"
    listen: "127.0.0.1:${port}"
    jetstream { store_dir: "${home}", max_file_store: ${MAX_FILE_STORE_BYTES}, sync_interval: always }
    ${own.length > 0 ? cluster : ''}`,
  )
  const server = new StartedServer({
    program,
    args: ['-c', file],
    check: () => canBeUsed(port),
  })
  const routesHere = routes.flatMap((links, other) =>
    other === number ? [] : links[other > number ? number : number - 1]!,
  )
  return { name, folder: home, port, server, routes: own, routesHere }
}

async function canBeUsed(port: number): Promise<void> {
  const servers = `127.0.0.1:${port}`
  const connection = await connect({ servers, reconnect: false, timeout: 1_000 })
  await connection.close()
}
