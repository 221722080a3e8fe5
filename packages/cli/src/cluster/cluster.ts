import { randomBytes } from 'node:crypto'
import { Failure } from '../failure.ts'
import type { ClusterFolder } from './cluster-folder.ts'
import type { KeptProcesses } from './kept-processes.ts'
import { natsProgram } from './nats-program.ts'
import { nodeProgram } from './node-program.ts'
import { freePort, portOf } from './ports.ts'
import { postgresProgram } from './postgres-program.ts'
import { type RunAs, findServerPrograms } from './server-programs.ts'
import {
  ProgramFailed,
  type ProgramListener,
  type SupervisedProgram,
} from './supervised-program.ts'

export interface ClusterOptions {
  readonly folder: ClusterFolder
  readonly kept: KeptProcesses
  readonly user: RunAs
  readonly nodes: number
  /** Of the first node; the others have the next ones. With 0, each has a free one. */
  readonly port: number
  readonly on: ProgramListener
  /** A node has logged a line. */
  readonly onLine: (name: string, line: string) => void
}

/** A part of the cluster that runs. */
export interface ClusterPart {
  readonly name: string
  readonly pid: number
}

/** A cluster on this machine: PostgreSQL, NATS and nodes, each in a process of its own that is started again where it ends. */
export class Cluster implements AsyncDisposable {
  readonly adminToken: { readonly file: string; readonly secret: string }
  readonly #options: ClusterOptions
  readonly #stack = new AsyncDisposableStack()
  readonly #servers: SupervisedProgram[] = []
  readonly #nodes: { readonly node: SupervisedProgram; readonly url: string }[] = []

  private constructor(options: ClusterOptions) {
    this.#options = options
    this.adminToken = options.folder.secret(
      'admin-token',
      () => `tok_${randomBytes(24).toString('base64url')}`,
    )
  }

  /** Resolves when every part can be used. @throws {Failure} */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options)
    await using stack = new AsyncDisposableStack()
    stack.use(cluster.#stack)
    try {
      await cluster.#start()
    } catch (error) {
      throw error instanceof ProgramFailed ? failureOf(error) : error
    }
    stack.move()
    return cluster
  }

  get servers(): readonly ClusterPart[] {
    return this.#servers.map(partOf)
  }

  get nodes(): readonly (ClusterPart & { readonly url: string })[] {
    return this.#nodes.map(({ node, url }) => ({ ...partOf(node), url }))
  }

  /** Ends the nodes gracefully, then what they use. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  async #start(): Promise<void> {
    const programs = findServerPrograms()
    const { folder, user } = this.#options
    const on = this.#listener()
    const postgresPort = await portOf(folder, 'postgres')
    const { postgres, url } = postgresProgram({ folder, programs, user, port: postgresPort, on })
    const { nats, url: natsUrl } = natsProgram({
      folder,
      programs,
      port: await portOf(folder, 'nats'),
      on,
    })
    for (const server of [postgres, nats]) {
      this.#servers.push(server)
      this.#own(server)
    }
    await Promise.all([postgres.start(), nats.start()])
    await this.#startNodes({ databaseUrl: url, natsUrl })
  }

  async #startNodes(urls: {
    readonly databaseUrl: string
    readonly natsUrl: string
  }): Promise<void> {
    const { folder, nodes, port, onLine } = this.#options
    const secretFiles = {
      HOOKLINE_DATABASE_URL_FILE: folder.write('database-url', urls.databaseUrl),
      HOOKLINE_NATS_URL_FILE: folder.write('nats-url', urls.natsUrl),
      HOOKLINE_ENCRYPTION_KEY_FILE: folder.secret('encryption-key', () =>
        randomBytes(32).toString('base64'),
      ).file,
      HOOKLINE_ADMIN_TOKEN_FILE: this.adminToken.file,
    }
    for (let number = 1; number <= nodes; number++) {
      const nodePort = await freePort(port === 0 ? 0 : port + number - 1)
      this.#nodes.push(
        nodeProgram({ folder, number, port: nodePort, secretFiles, on: this.#listener(), onLine }),
      )
    }
    // Nodes end side by side, and before the servers.
    this.#stack.defer(async () => {
      await Promise.all(this.#nodes.map(({ node }) => node[Symbol.asyncDispose]()))
    })
    // The first one makes the tables and the stream.
    const [first, ...others] = this.#nodes
    for (const { node } of this.#nodes) this.#killAtExit(node)
    await first!.node.start()
    await Promise.all(others.map(({ node }) => node.start()))
  }

  #own(server: SupervisedProgram): void {
    this.#stack.use(server)
    this.#killAtExit(server)
  }

  /** Whatever ends this process, other than a kill. */
  #killAtExit(program: SupervisedProgram): void {
    process.on('exit', () => program.killNow())
  }

  #listener(): ProgramListener {
    const { on, kept } = this.#options
    return {
      ...on,
      started: (name, pid) => {
        kept.started(name, pid)
        on.started(name, pid)
      },
    }
  }
}

function partOf({ name, pid = 0 }: SupervisedProgram): ClusterPart {
  return { name, pid }
}

function failureOf(error: ProgramFailed): Failure {
  return new Failure('failed', `${error.program} does not start. It says: ${error.message}`, {
    code: 'program_failed',
    cause: error,
  })
}
