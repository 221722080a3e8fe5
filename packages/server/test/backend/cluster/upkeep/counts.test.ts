import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { BackendUnavailableError, CopyNotSupportedError } from '../../../../src/backend/backend.ts'
import { probeOf } from '../../../../src/backend/cluster/check-servers.ts'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { ClusterDays, removeAll } from './cluster-days.ts'

const NOTHING = { events: 0, decisions: 0, deliveries: 0, messages: 0 }

describe.skipIf(clusterSkipReason() !== undefined)('the counts of a cluster', () => {
  test('are exact while some nodes write and others compact them', async () => {
    await using days = await ClusterDays.open()
    await using other = await openClusterBackend(days.harness.options)
    const before = days.after
    const write = async (): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        const [event] = await days.archive(2)
        await days.deliver(event!, 'pending')
      }
    }
    const walk = async (): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        await other.upkeep.removeOldest({ before: 0 })
        const { waiting } = await other.upkeep.backlog()
        expect(waiting[0]?.count ?? 0).toBeGreaterThanOrEqual(0)
      }
    }
    await Promise.all([write(), write(), walk(), walk()])
    const [{ waiting }, inventory] = [
      await days.backend.upkeep.backlog(),
      await other.upkeep.inventory(),
    ]
    expect(waiting).toEqual([{ destinationId: 'dst_a', state: 'pending', count: 30 }])
    expect(inventory.events).toEqual({ count: 60, isExact: true })
    await days.sql(`UPDATE deliveries SET state = 'delivered', is_waiting = false`)
    expect(await removeAll(other, { before })).toBe(60)
    expect(await days.backend.upkeep.usedBytes()).toBe(0)
  })

  test('are compacted into few rows', async () => {
    await using days = await ClusterDays.open()
    for (let round = 0; round < 30; round++) await days.archive(1)
    expect(await days.count('tallies')).toBe(30)
    await days.backend.upkeep.removeOldest({ before: 0 })
    expect(await days.count('tallies')).toBe(1)
  })

  test('reveal rows that were deleted by anything other than retention and purges', async () => {
    await using days = await ClusterDays.open()
    const [first, second] = await days.archive(3)
    await days.deliver(first!, 'delivered')
    expect(await days.backend.upkeep.missing()).toEqual(NOTHING)
    await days.sql(
      `DELETE FROM events WHERE id = '${second!.id}'; DELETE FROM declined; DELETE FROM deliveries`,
    )
    const missing = { events: 1, decisions: 1, deliveries: 1, messages: 0 }
    expect(await days.backend.upkeep.missing()).toEqual(missing)
    await days.backend.upkeep.removeOldest({ before: 0 })
    await removeAll(days.backend, { before: days.after })
    await days.harness.reopen()
    expect(await days.backend.upkeep.missing()).toEqual(missing)
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('retention on a cluster', () => {
  test.each([
    ['one by one', 40],
    ['by partition', 10],
  ])('that removes events %s never removes one that is being retried', async (_, daysAgo) => {
    await using days = await ClusterDays.open()
    await using other = await openClusterBackend(days.harness.options)
    const events = await days.archive(60, Date.now() - daysAgo * DAY_MS)
    const ids = await Promise.all(events.map((event) => days.deliver(event, 'delivered')))
    const [removed, retried] = await Promise.all([
      removeAll(other, { before: days.after + DAY_MS }),
      Promise.all(ids.map((id) => days.backend.replays.retry(id, Date.now()))),
    ])
    const count = retried.filter((isPending) => isPending).length
    expect(removed).toBe(60 - count)
    const waiting = count === 0 ? [] : [{ destinationId: 'dst_a', state: 'pending', count }]
    expect((await other.upkeep.backlog()).waiting).toEqual(waiting)
    expect(await days.count('deliveries JOIN events ON events.id = event_id')).toBe(count)
    expect(await days.count('waiting_parts')).toBe(count)
  })

  test('keeps an event whose delivery is being recorded', async () => {
    await using days = await ClusterDays.open()
    const [event] = await days.archive(2, days.noon - 40 * DAY_MS)
    const client = new pg.Client({
      connectionString: days.harness.options.databaseUrl.reveal(),
      options: '-c search_path=hookline',
    })
    await client.connect()
    await client.query(`BEGIN; SELECT FROM events WHERE id = '${event!.id}' FOR KEY SHARE`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(1)
    await client.query('ROLLBACK')
    await client.end()
    expect(await removeAll(days.backend, { before: days.after })).toBe(1)
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('a cluster', () => {
  test('is healthy while PostgreSQL is writable and NATS responds', async () => {
    await using days = await ClusterDays.open()
    await Promise.all([days.backend.probe(), days.backend.probe()])
    const [database] = await days.sql('SELECT current_database() AS name')
    await days.sql(
      `ALTER DATABASE ${String(database!['name'])} SET default_transaction_read_only = on`,
    )
    await using postgres = new Postgres({ url: days.harness.options.databaseUrl })
    const probe = probeOf({
      postgres,
      checkLog: async () => undefined,
      staleness: () => undefined,
    })
    await expect(probe()).rejects.toThrow(BackendUnavailableError)
  })

  test('reports that NATS does not respond', async () => {
    await using days = await ClusterDays.open()
    await using nats = await NatsServer.start()
    const natsUrl = new Redacted(nats.url)
    await using place = await newClusterNamespace()
    const databaseUrl = new Redacted(place.databaseUrl)
    await using node = await openClusterBackend({ ...days.harness.options, databaseUrl, natsUrl })
    await node.probe()
    await nats[Symbol.asyncDispose]()
    await expect(node.probe()).rejects.toThrow(/NATS/)
  })

  test('creates no backup file, and names the tools to use instead', async () => {
    await using days = await ClusterDays.open()
    await expect(days.backend.copyTo('/tmp/none.db')).rejects.toThrow(CopyNotSupportedError)
    await expect(days.backend.copyTo('/tmp/none.db')).rejects.toThrow(/pg_dump.*NATS stream/)
  })
})
