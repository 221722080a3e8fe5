import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { UnusableServerError } from '../../../../src/backend/cluster/unusable-server.ts'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { unprivilegedIds } from '@hookline/testing/cluster/programs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const certificates = makeCertificates()
const WRONG = 'the-wrong-password'
/** Requires TLS, and a password for all roles except `hookline`. */
const HBA = 'hostssl all hookline all trust\nhostssl all all all scram-sha-256\n'

/** Starts a server that requires TLS, with a new database. */
async function openTlsServer(folder: string) {
  const files = { ca: certificates.ca, hba: HBA, ...certificates.good }
  const paths = Object.entries(files).map(([name, text]) => [
    name,
    written(join(folder, name), text),
  ])
  const { hba, cert, key } = Object.fromEntries(paths) as Record<string, string>
  chownToServer(folder)
  const tls = ['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `hba_file=${hba}`]
  const server = await PostgresServer.start(tls, '?sslmode=no-verify')
  const url = new URL(await server.newDatabase())
  url.search = `?sslmode=verify-full&sslrootcert=${join(folder, 'ca')}`
  return { server, url }
}

function refused(url: URL | string): Promise<Error> {
  const options = {
    databaseUrl: new Redacted(String(url)),
    natsUrl: new Redacted('nats://127.0.0.1:1'),
    natsPrefix: 'test',
    encryptionKey: new Redacted(SecretBox.newKey()),
  }
  return openClusterBackend(options).then(
    () => new Error('The node was not refused.'),
    (error: Error) => error,
  )
}

describe.skipIf(clusterSkipReason() !== undefined)('a node connects to PostgreSQL', () => {
  test('over TLS with a private CA, but not if it does not trust the certificate', async () => {
    using folder = new TemporaryFolder()
    const { server, url } = await openTlsServer(folder.path)
    await using _server = server
    await using postgres = new Postgres({ url: new Redacted(url.href) })
    const rows = await postgres.run(
      sql<{ readonly ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
    )
    expect(rows).toEqual([{ ssl: true }])
    url.search = '?sslmode=verify-full'
    const error = await refused(url)
    expect(error).toBeInstanceOf(UnusableServerError)
    expect(error.message).toMatch(
      /certificate.*Check sslmode and sslrootcert in HOOKLINE_DATABASE_URL/,
    )
  })

  test('and reports an incorrect user, password or database, without the password', async () => {
    using folder = new TemporaryFolder()
    const { server, url } = await openTlsServer(folder.path)
    await using _server = server
    await server.query('postgres', "CREATE ROLE other LOGIN PASSWORD 'right'")
    const other = new URL(url)
    ;[other.username, other.password] = ['other', WRONG]
    const missing = new URL(url)
    missing.pathname = '/nowhere'
    for (const [wrong, said] of [
      [other, 'password authentication failed for user "other"'],
      [missing, 'database "nowhere" does not exist'],
    ] as const) {
      const error = await refused(wrong)
      expect(error).toBeInstanceOf(UnusableServerError)
      expect(error.message).toContain(said)
      expect(`${error.message}${error.stack}${String(error.cause)}`).not.toContain(WRONG)
    }
  })
})

function written(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 })
  chownToServer(path)
  return path
}

/** Gives a file to the server's user: PostgreSQL refuses a key that others may read. */
function chownToServer(path: string): void {
  const { uid, gid } = unprivilegedIds()
  if (uid !== undefined) chownSync(path, uid, gid!)
}
