import pg from 'pg'
import { expect } from 'vitest'
import { crc32 } from 'node:zlib'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'
import { Link } from '@hookline/testing/cluster/link'
import { NatsServers } from '@hookline/testing/cluster/nats-servers'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { freePort } from '@hookline/testing/network/free-port'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { LoopDisk } from './loop-disk.ts'
import { Node } from './node.ts'

export const STREAM = 'hookline_log'
const ADMIN_TOKEN = 'tok_cluster_test'
/** The number of log partitions. Each has a consumer, and each source belongs to one partition. */
const PARTITIONS = 4
const TIMEOUT_MS = 10_000

export interface ClusterSize {
  readonly nodes: number
  readonly natsServers: 1 | 3
  /** Whether each NATS server has a disk whose power can be cut. */
  readonly canCutPower?: boolean
}

export interface Source {
  readonly id: string
  readonly writeKey: string
  readonly destinationId: string
}

/** Hookline nodes with their own PostgreSQL and NATS servers, connected by links that can be cut. */
export class Cluster implements AsyncDisposable {
  readonly nodes: readonly Node[]
  readonly postgres: PostgresServer
  readonly nats: NatsServers
  /** The disks of the NATS servers, by folder, with `canCutPower`. */
  readonly disks: ReadonlyMap<string, LoopDisk>
  readonly #databaseUrl: string
  readonly #stack: AsyncDisposableStack

  private constructor(
    parts: Pick<Cluster, 'nodes' | 'postgres' | 'nats' | 'disks'>,
    databaseUrl: string,
    stack: AsyncDisposableStack,
  ) {
    this.nodes = parts.nodes
    this.postgres = parts.postgres
    this.nats = parts.nats
    this.disks = parts.disks
    this.#databaseUrl = databaseUrl
    this.#stack = stack
  }

  static async open({ nodes: count, natsServers, canCutPower }: ClusterSize): Promise<Cluster> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(new TemporaryFolder())
    const postgres = stack.use(await PostgresServer.start())
    const disks = new Map<string, LoopDisk>()
    const mount = (path: string): Disposable => {
      const disk = LoopDisk.mount(path)
      disks.set(path, disk)
      return disk
    }
    const nats = stack.use(await NatsServers.start(natsServers, canCutPower ? mount : undefined))
    const databaseUrl = await postgres.newDatabase()
    const encryptionKey = SecretBox.newKey()
    const nodes: Node[] = []
    for (let number = 0; number < count; number++) {
      const open = async (port: number): Promise<Link> => stack.use(await Link.open(port))
      const links = {
        postgres: await open(Number(new URL(databaseUrl).port)),
        nats: await Promise.all(nats.all.map(({ port }) => open(port))),
      }
      const node = new Node({
        name: `node ${number}`,
        port: await freePort(),
        dataDir: `${folder.path}/${number}`,
        clockFile: `${folder.path}/clock-${number}`,
        links,
        settings: {
          ...SETTINGS,
          HOOKLINE_DATABASE_URL: links.postgres.urlOf(databaseUrl),
          HOOKLINE_NATS_URL: links.nats.map(({ port }) => `nats://127.0.0.1:${port}`).join(),
          HOOKLINE_NATS_REPLICAS: String(natsServers),
          HOOKLINE_ENCRYPTION_KEY: encryptionKey,
        },
      })
      stack.defer(() => node.kill())
      nodes.push(node)
    }
    await Promise.all(nodes.map((node) => node.ready()))
    return new Cluster({ nodes, postgres, nats, disks }, databaseUrl, stack.move())
  }

  /** The log's stream. */
  stream() {
    return this.nats.with((manager) => manager.streams.info(STREAM))
  }

  apiOf(node: Node): ManagementApi {
    return new ManagementApi(node.url, ADMIN_TOKEN)
  }

  /** Resolves to `undefined` unless the node responds with a 2xx. The key makes a repeated request harmless. */
  async post<T>(
    { url }: Node,
    path: string,
    { body, key }: { readonly body: object; readonly key: string },
  ): Promise<T | undefined> {
    try {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const created: unknown = await response.json()
      return response.ok ? (created as T) : undefined
    } catch {
      // The node was killed or is cut off.
      return undefined
    }
  }

  /** Creates sources in every partition of the log, each with a destination at `urlOf(number of the source)`. */
  async createSources(urlOf: (number: number) => string): Promise<readonly Source[]> {
    const sources: Source[] = []
    const partitions = new Set<number>()
    while (partitions.size < PARTITIONS) {
      const source = await this.#createSource(urlOf(sources.length))
      sources.push(source)
      partitions.add(crc32(source.id) % PARTITIONS)
    }
    // A node without the destination would decide that an event has none.
    await Promise.all(this.nodes.map((node) => this.#waitForDestinations(node, sources.length)))
    return sources
  }

  /** Starts a node with another database on the same NATS servers. Resolves to its output once it has exited. */
  async refusalOfForeignNode(): Promise<string> {
    using folder = new TemporaryFolder()
    const foreign = new ServiceProcess({
      port: await freePort(),
      dataDir: folder.path,
      settings: {
        ...SETTINGS,
        HOOKLINE_DATABASE_URL: await this.postgres.newDatabase(),
        HOOKLINE_NATS_URL: this.nats.url,
        HOOKLINE_NATS_REPLICAS: String(this.nats.all.length),
        HOOKLINE_ENCRYPTION_KEY: SecretBox.newKey(),
      },
    })
    try {
      expect(await foreign.ready()).toBe(false)
      return foreign.stderr
    } finally {
      await foreign.kill()
    }
  }

  /** Runs SQL in Hookline's schema, as another program would, directly and not over a link. */
  async sql(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = await this.#connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Holds a lock on a table, without its partitions, as another program would. */
  async withLock(table: string, meanwhile: () => Promise<void>): Promise<void> {
    const client = await this.#connect()
    try {
      await client.query('BEGIN')
      await client.query(`LOCK TABLE ONLY ${table}`)
      await meanwhile()
    } finally {
      await client.end()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }

  async #waitForDestinations(node: Node, destinations: number): Promise<void> {
    const listed = async () => (await this.apiOf(node).listAll('destinations')).length
    await expect.poll(listed, { timeout: TIMEOUT_MS }).toBe(destinations)
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#databaseUrl,
      application_name: 'test',
      options: '-c search_path=hookline',
    })
    // The server may be killed.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async #createSource(url: string): Promise<Source> {
    const api = this.apiOf(this.nodes[0]!)
    const shop = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'Shop',
    })
    const destination = await api.call<{ id: string }>('POST', 'destinations', {
      sourceId: shop.id,
      type: 'Webhooks',
      enabled: true,
      settings: { sharedSecret: 'cluster-test-secret', webhooks: [{ url }] },
    })
    return { id: shop.id, writeKey: shop.writeKeys[0].key, destinationId: destination.id }
  }
}

const SETTINGS = {
  HOOKLINE_BACKEND: 'cluster',
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE: '50ms,100ms,200ms,400ms',
  HOOKLINE_LOG_LEVEL: 'warn',
}
