import {
  createLogger,
  openService,
  parseConfig,
  type SettingName,
  variableOf,
} from '@hookline/server'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { columnsWith, messagesWith } from '@hookline/testing/cluster/stored-bytes'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { Proxy } from '@hookline/testing/network/proxy'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { exchange } from '@hookline/testing/network/http-exchange'
import { Output } from '@hookline/testing/secrets/output'
import {
  callApi,
  openRepeatingReceiver,
  plantedSettings,
  plantSecrets,
} from '@hookline/testing/secrets/planted-secrets'

const DATABASE_PASSWORD = 'planted-database-password'
const NATS_PASSWORD = 'planted-nats-password'
const WRONG_PASSWORD = 'planted-wrong-password'
const ENCRYPTION_KEY = SecretBox.newKey()
const KEYS = [DATABASE_PASSWORD, NATS_PASSWORD, WRONG_PASSWORD, ENCRYPTION_KEY]

let postgres: PostgresServer
let nats: NatsServer
let stack: AsyncDisposableStack

function urlOfNats(password = NATS_PASSWORD): string {
  return nats.url.replace('//', `//hookline:${password}@`)
}

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    postgres = stack.use(await PostgresServer.start())
    const authorization = { user: 'hookline', password: NATS_PASSWORD }
    nats = stack.use(await NatsServer.start({ authorization }))
  })
  afterAll(() => stack.disposeAsync())

  /** Settings of a node with its own database. The server accepts any password. */
  async function clusterSettings() {
    const url = new URL(await postgres.newDatabase())
    url.password = DATABASE_PASSWORD
    const place = { databaseUrl: url.href, natsUrl: urlOfNats(), natsPrefix: url.pathname.slice(1) }
    return { backend: 'cluster', encryptionKey: ENCRYPTION_KEY, ...place }
  }

  test('no secret is in a log line, a response, a metric, a table, the log, or a file from PostgreSQL, NATS or the node', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openRepeatingReceiver()
    await using proxy = await Proxy.open({ behaviour: 407 })
    const output = new Output()
    const logger = createLogger('trace', { write: (line) => void output.logged.push(line) })
    const place = await clusterSettings()
    const own = { dataDir: folder.path, ...plantedSettings(proxy), ...place }
    await using service = await openService({ config: parseConfig({}, own), logger })
    const planting = { service, receiver, proxy, output }
    const { writeKey, secrets, notStored, sourceId } = await plantSecrets(planting)
    output.add('GET /settings', await callApi(service, 'GET', '/settings'))

    // The node reports a missing server.
    const ready = () => exchange(`${service.url}/readyz`, { method: 'GET' })
    for (const { server } of [postgres, nats]) {
      await server.kill()
      await expect.poll(async () => (await ready()).status).toBe(503)
      output.add('GET /readyz', await ready())
      output.add('GET /events', await callApi(service, 'GET', '/events'))
      output.add('GET /system', await callApi(service, 'GET', '/system'))
      const headers = { Authorization: `Basic ${btoa(`${writeKey}:`)}` }
      const body = JSON.stringify({ type: 'track', event: 'E', userId: 'u1' })
      output.add('POST /v1/track', await exchange(`${service.url}/v1/track`, { headers, body }))
      await server.start()
      await expect.poll(async () => (await ready()).status).toBe(200)
    }
    output.expectNone([...secrets, writeKey, ...KEYS], sourceId)
    for (const secret of [...notStored, ...KEYS]) {
      const found = [
        await columnsWith(place.databaseUrl, secret),
        (await messagesWith(urlOfNats(), secret)).found,
        await postgres.filesWith(secret),
        filesWith(nats.folder, secret),
        filesWith(folder.path, secret),
      ]
      expect([secret, ...found]).toEqual([secret, {}, 0, [], [], []])
    }
    // The search must be able to find something.
    expect(await columnsWith(place.databaseUrl, sourceId)).not.toEqual({})
    expect(filesWith(nats.folder, place.natsPrefix)).not.toEqual([])
  })

  test.each<readonly [string, (own: Record<string, string>) => Promise<object> | object]>([
    ['a database that does not answer', async () => ({ databaseUrl: await closedUrl('postgres') })],
    [
      'a database that does not exist',
      ({ databaseUrl }) => ({ databaseUrl: `${databaseUrl}-missing` }),
    ],
    [
      'an invalid database URL',
      () => ({ databaseUrl: `postgres://hookline:${DATABASE_PASSWORD}@[x/y` }),
    ],
    ['a NATS server that does not answer', async () => ({ natsUrl: await closedUrl('nats') })],
    ['a NATS server that refuses the password', () => ({ natsUrl: urlOfNats(WRONG_PASSWORD) })],
    ['an invalid NATS URL', () => ({ natsUrl: `nats://hookline:${NATS_PASSWORD}@[x/y` })],
    ['an invalid encryption key', () => ({ encryptionKey: `${ENCRYPTION_KEY}x` })],
  ])('a node that cannot start because of %s reveals no secret', async (_, change) => {
    using folder = new TemporaryFolder()
    const own = { ...(await clusterSettings()), adminToken: 'tok_planted-admin-token', port: '0' }
    const settings = { ...own, ...(await change(own)), dataDir: folder.path }
    const failed = async (): Promise<never> => {
      const config = parseConfig({}, settings)
      await openService({ config, logger: createLogger('silent') })
      throw new Error('The node started.')
    }
    const error: unknown = await failed().catch((thrown: unknown) => thrown)
    const shown = inspect(error, { depth: 20, showHidden: true, getters: true })
    expect(String(error)).not.toContain('The node started.')
    const leaked = KEYS.filter((secret) => shown.includes(secret) || String(error).includes(secret))
    expect([shown, leaked]).toEqual([shown, []])

    const variables = Object.entries(settings).map(([name, value]) => [
      variableOf(name as SettingName),
      value,
    ])
    const options = { port: await freePort(), dataDir: folder.path }
    const node = new ServiceProcess({ ...options, settings: Object.fromEntries(variables) })
    expect(await node.ready()).toBe(false)
    expect([node.stderr, KEYS.filter((secret) => node.stderr.includes(secret))]).toEqual([
      node.stderr,
      [],
    ])
  })
})

/** The URL of a port where nothing listens. */
async function closedUrl(kind: 'nats' | 'postgres'): Promise<string> {
  const password = kind === 'nats' ? NATS_PASSWORD : DATABASE_PASSWORD
  return `${kind}://hookline:${password}@127.0.0.1:${await freePort()}/hookline`
}
