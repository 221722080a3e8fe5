import { describe, expect, it } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { Hookline, run } from '@hookline/testing/cli/hookline'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'

const KEY = Buffer.alloc(32, 7).toString('base64')

/** A server with a monitoring port, and its URL. */
async function startNats(jetstream: object) {
  const port = await freePort()
  const nats = await NatsServer.start({ http: `127.0.0.1:${port}`, jetstream })
  return { nats, monitorUrl: `http://127.0.0.1:${port}` }
}

interface Servers {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly monitorUrl?: string
}

function settingsOf({ databaseUrl, natsUrl, monitorUrl }: Servers): Record<string, string> {
  return {
    HOOKLINE_BACKEND: 'cluster',
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_NATS_URL: natsUrl,
    HOOKLINE_ENCRYPTION_KEY: KEY,
    HOOKLINE_ADMIN_TOKEN: 'tok_of_doctor',
    ...(monitorUrl !== undefined && { HOOKLINE_NATS_MONITOR_URL: monitorUrl }),
  }
}

async function doctor(servers: Servers) {
  using folder = new TemporaryFolder()
  const args = ['doctor', '--port', '0', '--data-dir', folder.path]
  const { code, stdout } = await run(args, { env: settingsOf(servers) })
  const lineOf = (check: string): string | undefined =>
    stdout.split('\n').find((line) => line.slice(2).startsWith(check))
  return { code, stdout, postgres: lineOf('PostgreSQL'), nats: lineOf('NATS') }
}

describe.skipIf(clusterSkipReason() !== undefined)('hookline doctor on a cluster', () => {
  it('passes if PostgreSQL has checksums and NATS syncs before it confirms', async () => {
    await using postgres = await PostgresServer.start()
    const { nats, monitorUrl } = await startNats({ sync_interval: 'always' })
    await using _nats = nats
    const databaseUrl = await postgres.newDatabase()
    const found = await doctor({ databaseUrl, natsUrl: nats.url, monitorUrl })
    expect(found.postgres).toMatch(/^✓ .*fsync on, data_checksums on$/)
    expect(found.nats).toMatch(/^✓ .*sync_interval always$/)
    expect(found.code).toBe(0)
  })

  it('reports sync_interval as unverified if no monitoring port is configured, or it does not respond', async () => {
    await using postgres = await PostgresServer.start()
    await using nats = await NatsServer.start()
    const databaseUrl = await postgres.newDatabase()
    for (const monitorUrl of [undefined, 'http://127.0.0.1:1']) {
      const servers = { databaseUrl, natsUrl: nats.url, ...(monitorUrl && { monitorUrl }) }
      const found = await doctor(servers)
      expect(found.nats).toMatch(/^! .*sync_interval not verified$/)
      expect(found.stdout).toContain('HOOKLINE_NATS_MONITOR_URL')
      expect(found.code).toBe(0)
    }
  })

  it('fails for a server that syncs every two minutes, and a node refuses it', async () => {
    await using postgres = await PostgresServer.start()
    const { nats, monitorUrl } = await startNats({})
    await using _nats = nats
    const servers = { databaseUrl: await postgres.newDatabase(), natsUrl: nats.url, monitorUrl }
    const found = await doctor(servers)
    expect([found.code, found.nats]).toEqual([8, expect.stringContaining('sync_interval: always')])
    using folder = new TemporaryFolder()
    const args = ['start', '--port', '0', '--data-dir', folder.path]
    await using node = new Hookline(args, { env: settingsOf(servers) })
    expect(await node.exit()).toBe(1)
    expect(node.stderr).toMatch(/server_unusable|Set `sync_interval: always`/)
  })

  it('fails for an unavailable server, and names it', async () => {
    const natsUrl = 'nats://127.0.0.1:1'
    const found = await doctor({ databaseUrl: 'postgres://hookline@127.0.0.1:1/none', natsUrl })
    expect(found.code).toBe(8)
    expect(found.postgres).toMatch(/^✗ .*PostgreSQL is unavailable/)
    expect(found.nats).toMatch(/^✗ .*NATS is unavailable/)
  })
})
