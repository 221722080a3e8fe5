import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { UnusableServerError } from '../../../../src/backend/cluster/unusable-server.ts'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { checkServer } from '../../../../src/backend/cluster/check-servers.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { PgBouncer, pgBouncerIsMissing } from '@hookline/testing/cluster/pg-bouncer'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { consumeAll } from '../consume-all.ts'

async function open(databaseUrl: string) {
  const { natsUrl, natsPrefix } = await newClusterNamespace()
  return openClusterBackend({
    databaseUrl: new Redacted(databaseUrl),
    natsUrl: new Redacted(natsUrl),
    natsPrefix,
    encryptionKey: new Redacted(SecretBox.newKey()),
  })
}

async function refusal(opening: Promise<unknown>): Promise<string> {
  const error = await opening.then(
    () => new Error('The server was not refused.'),
    (reason: Error) => reason,
  )
  expect(error).toBeInstanceOf(UnusableServerError)
  return error.message
}

describe.skipIf(clusterSkipReason() !== undefined)('a node refuses PostgreSQL', () => {
  test.each(['fsync', 'full_page_writes'])('with %s=off, naming the setting', async (name) => {
    await using server = await PostgresServer.start([`${name}=off`])
    expect(await refusal(open(await server.newDatabase()))).toContain(`Set ${name}=on`)
  })

  test.skipIf(pgBouncerIsMissing)('behind PgBouncer in transaction mode', async () => {
    await using server = await PostgresServer.start()
    await using bouncer = await PgBouncer.start(server, 'transaction')
    const url = bouncer.urlOf(await server.newDatabase())
    expect(await refusal(open(url))).toContain('pool_mode=session')
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('a node uses PostgreSQL', () => {
  test('with synchronous_commit=on, overriding the role, the database and the URL', async () => {
    await using server = await PostgresServer.start()
    const url = new URL(await server.newDatabase())
    const database = url.pathname.slice(1)
    for (const target of ['ROLE hookline', `ROLE hookline IN DATABASE ${database}`])
      await server.query(database, `ALTER ${target} SET synchronous_commit = off`)
    await server.query(database, `ALTER DATABASE ${database} SET synchronous_commit = off`)
    url.searchParams.set('options', '-c synchronous_commit=off')
    await using postgres = new Postgres({ url: new Redacted(url.href) })
    const setting = sql<{ readonly value: string }>`
      SELECT current_setting('synchronous_commit') AS value`
    expect(await postgres.run(setting)).toEqual([{ value: 'on' }])
    const { rows } = await postgres.writeSlowly((transaction) => setting.execute(transaction))
    expect(rows).toEqual([{ value: 'on' }])
  })

  test('and checks whether data checksums are on', async () => {
    await using place = await newClusterNamespace()
    await using postgres = new Postgres({ url: new Redacted(place.databaseUrl) })
    expect(await checkServer(postgres)).toMatchObject({ hasChecksums: true })
  })

  test.skipIf(pgBouncerIsMissing)('behind PgBouncer in session mode', async () => {
    await using server = await PostgresServer.start()
    await using bouncer = await PgBouncer.start(server, 'session')
    await using node = await open(bouncer.urlOf(await server.newDatabase()))
    await using consuming = consumeAll(node.log)
    const event = acceptedEvent()
    await node.log.append([event])
    await expect.poll(() => consuming.ids).toEqual([event.id])
    await node.events.archive([{ event, declined: [] }])
    expect(await node.events.find(event.id)).toMatchObject({ id: event.id })
  })
})
