import { expect } from 'vitest'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'
import { NatsServer } from '../../packages/server/test/harness/cluster/nats-server.ts'
import { PostgresServer } from '../../packages/server/test/harness/cluster/postgres-server.ts'
import { freePort } from '../../packages/server/test/harness/free-port.ts'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { ServiceProcess } from '../crash/service-process.ts'
import { ManagementApi } from '../harness/management-api.ts'

const ADMIN_TOKEN = 'tok_cluster_test'

/** One process of the cluster, which tests kill and start again. */
export class Node {
  readonly #port: number
  readonly #dataDir: string
  readonly #settings: Readonly<Record<string, string>>
  #process: ServiceProcess

  constructor(port: number, dataDir: string, settings: Readonly<Record<string, string>>) {
    this.#port = port
    this.#dataDir = dataDir
    this.#settings = settings
    this.#process = this.#start()
  }

  get url(): string {
    return this.#process.url
  }

  get stderr(): string {
    return this.#process.stderr
  }

  async ready(): Promise<void> {
    expect(await this.#process.ready(), this.#process.stderr).toBe(true)
  }

  kill(): Promise<void> {
    return this.#process.kill()
  }

  /** Starts it again, if it is not running. */
  startAgain(): void {
    if (!this.#process.isRunning()) this.#process = this.#start()
  }

  async stop(): Promise<void> {
    expect(await this.#process.stop(), this.#process.stderr).toBe(0)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#process.pid, signal)
  }

  #start(): ServiceProcess {
    return new ServiceProcess({
      port: this.#port,
      dataDir: this.#dataDir,
      settings: this.#settings,
    })
  }
}

/** Nodes of Hookline on a PostgreSQL and a NATS server of their own, with one source. */
export class Cluster implements AsyncDisposable {
  readonly nodes: readonly Node[]
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  readonly #stack: AsyncDisposableStack

  private constructor(
    nodes: readonly Node[],
    servers: { readonly postgres: PostgresServer; readonly nats: NatsServer },
    stack: AsyncDisposableStack,
  ) {
    this.nodes = nodes
    this.postgres = servers.postgres
    this.nats = servers.nats
    this.#stack = stack
  }

  static async open(count: number): Promise<Cluster> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const postgres = stack.use(await PostgresServer.start())
    const nats = stack.use(await NatsServer.start())
    const settings = {
      HOOKLINE_BACKEND: 'cluster',
      HOOKLINE_DATABASE_URL: await postgres.newDatabase(),
      HOOKLINE_NATS_URL: nats.url,
      HOOKLINE_ENCRYPTION_KEY: SecretBox.newKey(),
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_RETRY_SCHEDULE: '50ms,100ms,200ms,400ms',
      HOOKLINE_LOG_LEVEL: 'error',
    }
    const nodes: Node[] = []
    for (let number = 0; number < count; number++) {
      const node = new Node(await freePort(), `${folder.path}/${number}`, settings)
      stack.defer(() => node.kill())
      nodes.push(node)
    }
    await Promise.all(nodes.map((node) => node.ready()))
    return new Cluster(nodes, { postgres, nats }, stack.move())
  }

  /** The management API of a node. */
  apiOf(node: Node): ManagementApi {
    return new ManagementApi(node.url, ADMIN_TOKEN)
  }

  /** Creates the source, with a destination for each URL. Returns its write key. */
  async createSource(urls: readonly string[]): Promise<string> {
    const api = this.apiOf(this.nodes[0]!)
    const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'Shop',
    })
    for (const url of urls)
      await api.call('POST', 'destinations', {
        sourceId: source.id,
        type: 'Webhooks',
        enabled: true,
        settings: { sharedSecret: 'cluster-test-secret', webhooks: [{ url }] },
      })
    return source.writeKeys[0].key
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
