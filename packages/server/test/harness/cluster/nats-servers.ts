import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { natsProgram } from './programs.ts'
import { StartedServer } from './started-server.ts'
import { freePort } from '../free-port.ts'
import { TemporaryFolder } from '../temporary-folder.ts'

/** What each server may store: a test fills it. */
const MAX_FILE_STORE_BYTES = 48 * 1024 * 1024

export interface NatsNode {
  readonly name: string
  readonly port: number
  readonly server: StartedServer
}

/** Servers of NATS that are one JetStream cluster; one alone is no cluster. */
export class NatsServers implements AsyncDisposable {
  readonly all: readonly NatsNode[]
  readonly #folder: TemporaryFolder

  private constructor(all: readonly NatsNode[], folder: TemporaryFolder) {
    this.all = all
    this.#folder = folder
  }

  static async start(count: number): Promise<NatsServers> {
    const folder = new TemporaryFolder()
    const ports = await freePorts(count)
    const routePorts = await freePorts(count)
    const nodes = ports.map((port, index) => nodeOf({ index, port, routePorts, folder }))
    const servers = new NatsServers(nodes, folder)
    await Promise.all(nodes.map(({ server }) => server.start()))
    return servers
  }

  /** Uses a connection to those that run. */
  async with<T>(
    use: (manager: JetStreamManager, connection: NatsConnection) => Promise<T>,
  ): Promise<T> {
    const servers = this.all.map(({ port }) => `127.0.0.1:${port}`)
    const connection = await connect({ servers, timeout: 2_000, reconnect: false })
    try {
      return await use(
        await jetstreamManager(connection, { checkAPI: false, timeout: 3_000 }),
        connection,
      )
    } finally {
      await connection.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map(({ server }) => server.kill()))
    this.#folder[Symbol.dispose]()
  }
}

interface NodeOptions {
  readonly index: number
  readonly port: number
  readonly routePorts: readonly number[]
  readonly folder: TemporaryFolder
}

function nodeOf({ index, port, routePorts, folder }: NodeOptions): NatsNode {
  const name = `nats-${index}`
  const home = join(folder.path, name)
  mkdirSync(home)
  const others = routePorts.filter((_, each) => each !== index)
  // Clients stay on the links that they were given: no server tells them of another one.
  const cluster = `cluster { name: test, listen: "127.0.0.1:${routePorts[index]}", no_advertise: true,
    routes: [${others.map((each) => `"nats://127.0.0.1:${each}"`).join(', ')}] }`
  const file = join(home, 'nats.conf')
  writeFileSync(
    file,
    `server_name: "${name}"
    listen: "127.0.0.1:${port}"
    jetstream { store_dir: "${home}", max_file_store: ${MAX_FILE_STORE_BYTES} }
    ${others.length > 0 ? cluster : ''}`,
  )
  const server = new StartedServer({
    program: natsProgram()!,
    args: ['-c', file],
    check: async () => {
      const connection = await connect({
        servers: `127.0.0.1:${port}`,
        reconnect: false,
        timeout: 1_000,
      })
      await connection.close()
    },
  })
  return { name, port, server }
}

async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()))
}
