import pg from 'pg'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { latestOf, MIGRATIONS } from '../../packages/server/src/backend/cluster/postgres/migrate.ts'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { freePort } from '@hookline/testing/network/free-port'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { Load } from '@hookline/testing/service/load'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { SEED } from '@hookline/testing/run/seed'

const ADMIN_TOKEN = 'tok_upgrade_test'
const CURRENT = latestOf(MIGRATIONS)

/** This release, or a later one, whose migration steps are in a preloaded file. */
type Release = 'current' | 'expand' | 'contract'

class Upgrade implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack()
  readonly #folder = this.#stack.use(new TemporaryFolder())
  #settings: Readonly<Record<string, string>> = {}
  #databaseUrl = ''
  #starts = 0

  async open(): Promise<this> {
    const postgres = this.#stack.use(await PostgresServer.start())
    const nats = this.#stack.use(await NatsServer.start())
    this.#databaseUrl = await postgres.newDatabase()
    this.#settings = {
      HOOKLINE_BACKEND: 'cluster',
      HOOKLINE_DATABASE_URL: this.#databaseUrl,
      HOOKLINE_NATS_URL: nats.url,
      HOOKLINE_ENCRYPTION_KEY: SecretBox.newKey(),
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_RETRY_SCHEDULE: '50ms,100ms,200ms',
      HOOKLINE_LOG_LEVEL: 'error',
    }
    return this
  }

  /** Starts a node. Resolves when it is ready or has exited. */
  async start(release: Release, port?: number): Promise<ServiceProcess> {
    const file = pathToFileURL(join(import.meta.dirname, 'releases', `${release}.ts`)).href
    const extra = release === 'current' ? {} : { NODE_OPTIONS: `--import=${file}` }
    const node = new ServiceProcess({
      port: port ?? (await freePort()),
      dataDir: `${this.#folder.path}/${this.#starts++}`,
      settings: { ...this.#settings, ...extra },
    })
    this.#stack.defer(() => node.kill())
    await node.ready()
    return node
  }

  async refused(release: Release): Promise<string> {
    const node = await this.start(release)
    await expect.poll(() => node.isRunning()).toBe(false)
    return node.stderr
  }

  async schema(): Promise<unknown> {
    const client = new pg.Client({ connectionString: this.#databaseUrl })
    await client.connect()
    const { rows } = await client.query('SELECT * FROM hookline.schema_version')
    await client.end()
    return rows
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

test.skipIf(clusterSkipReason() !== undefined)(
  `a node-by-node upgrade under load loses nothing, and incompatible nodes are refused (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED)
    await using receiver = await CountingReceiver.open({ random, failing: 0 })
    await using upgrade = await new Upgrade().open()
    const ports = [await freePort(), await freePort(), await freePort()]
    let nodes: ServiceProcess[] = []
    for (const port of ports) nodes.push(await upgrade.start('current', port))
    const api = new ManagementApi(nodes[0]!.url, ADMIN_TOKEN)
    const writeKey = await createSource(api, receiver.urlOf('hook'))
    const stop = new AbortController()
    const load = new Load(random, { pauseMs: 20 })
    const sending = nodes.map(({ url }) => load.run(url, writeKey, stop.signal))
    const flows = () => {
      const before = receiver.requestsTo('hook')
      return expect.poll(() => receiver.requestsTo('hook')).toBeGreaterThan(before + 50)
    }
    await flows()

    // Expand: the first node of the next release applies its step while nodes of this release run.
    const next = await upgrade.start('expand')
    expect(next.isRunning(), next.stderr).toBe(true)
    expect(await upgrade.schema()).toEqual([{ version: CURRENT + 1, works_from: CURRENT }])
    await flows()
    // A node of this release may still start.
    expect(await nodes[0]!.stop()).toBe(0)
    nodes[0] = await upgrade.start('current', ports[0])
    expect(nodes[0].isRunning(), nodes[0].stderr).toBe(true)
    // Contract: not while an incompatible node runs.
    expect(await upgrade.refused('contract')).toContain(`too old for schema ${CURRENT + 2}`)
    await flows()
    for (const [index, port] of ports.entries()) {
      expect(await nodes[index]!.stop()).toBe(0)
      nodes = nodes.with(index, await upgrade.start('expand', port))
      await flows()
    }

    const later = await upgrade.start('contract')
    expect(later.isRunning(), later.stderr).toBe(true)
    expect(await upgrade.schema()).toEqual([{ version: CURRENT + 2, works_from: CURRENT + 1 }])
    await flows()
    expect(await upgrade.refused('current')).toContain(
      `The database has schema ${CURRENT + 2}, which requires nodes with schema ${CURRENT + 1} or later`,
    )
    expect((await upgrade.start('expand')).isRunning()).toBe(true)
    stop.abort()
    await Promise.all(sending)
    await expect
      .poll(() => receiver.missing('hook', load.accepted), { timeout: 120_000, interval: 200 })
      .toBe(0)
    expect(load.accepted.size).toBeGreaterThan(300)
    console.log(
      `seed ${SEED}: ${load.accepted.size} of ${load.sent} calls got a 200, lost 0, ${receiver.duplicates} duplicates`,
    )
  },
)

async function createSource(api: ManagementApi, url: string): Promise<string> {
  const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'Shop',
  })
  await api.call('POST', 'destinations', {
    sourceId: source.id,
    type: 'Webhooks',
    enabled: true,
    settings: { sharedSecret: 'upgrade-test-secret', webhooks: [{ url }] },
  })
  return source.writeKeys[0].key
}
