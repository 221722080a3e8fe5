import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import {
  ErasedCluster,
  failOnce,
  fillOthers,
  fillProfiles,
  PLANTED,
  someEvents,
} from './erased-cluster.ts'

/** Fills every table that may contain user data: one day with a partition, and one without. */
async function fill(cluster: ErasedCluster): Promise<void> {
  const random = seededRandom(7)
  for (let batch = 0; batch < 8; batch++) {
    const events = someEvents(300, random, batch === 7 ? NOON - 3 * DAY_MS : NOON)
    await cluster.archive(events)
    await failOnce(
      cluster.backend,
      events.filter(() => random() < 0.3),
    )
    if (batch === 0) await fillOthers(cluster, events)
  }
  await fillProfiles(cluster)
  // Statistics contain column values, and the second run leaves dead rows of the first.
  for (let times = 0; times < 2; times++) await cluster.postgres.run(sql`ANALYZE`)
}

describe.skipIf(clusterSkipReason() !== undefined)('after a deletion', () => {
  test('no data about the user is in any PostgreSQL file except the WAL, and none reappears with later writes', async () => {
    await using cluster = await ErasedCluster.open()
    const { server, backend } = cluster
    await fill(cluster)
    const before = await server.filesWith(PLANTED)
    expect(before.length).toBeGreaterThan(15)
    const others = (await backend.events.list({ text: 'other' }, { limit: 200 })).data
    expect(others.length).toBe(200)
    await cluster.deleteUser()
    expect(await server.filesWith(PLANTED)).toEqual([])
    expect((await backend.events.list({ text: 'other' }, { limit: 200 })).data).toEqual(others)

    const random = seededRandom(8)
    const later = someEvents(300, random).filter(({ userId }) => userId !== 'u1')
    await cluster.archive(later)
    await failOnce(backend, later)
    await server.server.kill()
    await server.server.start()
    expect(await server.filesWith(PLANTED)).toEqual([])
    expect(await backend.upkeep.missing()).toEqual({
      events: 0,
      decisions: 0,
      deliveries: 0,
      messages: 0,
    })
  })

  test('nothing is left of a failed transaction whose events were then refused', async () => {
    await using cluster = await ErasedCluster.open()
    const events = someEvents(50, () => 0.05, Date.now())
    const { postgres, server } = cluster
    await postgres.run(
      sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    )
    await postgres.run(sql`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
    await expect(cluster.archive(events)).rejects.toThrow('refused')
    await postgres.run(sql`DROP TRIGGER refuse ON events`)
    expect(await server.filesWith(PLANTED)).not.toEqual([])
    const { suppressions } = cluster.backend
    const deletionId = 'del_a'
    await suppressions.add([{ kind: 'user', id: 'u1', sourceId: null, since: NOON, deletionId }])
    await cluster.archive(events)
    await cluster.deleteUser()
    expect(await server.filesWith(PLANTED)).toEqual([])
  })

  test('erasing rejects with a reason while a long read locks a table, and succeeds afterwards', async () => {
    await using cluster = await ErasedCluster.open()
    await cluster.archive(someEvents(50, seededRandom(7)))
    const reading = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const reader = cluster.postgres.write(async (transaction) => {
      // Like another program, whose idle transactions have no timeout.
      await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(transaction)
      await sql`SELECT FROM events`.execute(transaction)
      reading.resolve()
      await ended.promise
    })
    await reading.promise
    await expect(cluster.deleteUser()).rejects.toThrow(/events.* is locked by a long read/)
    ended.resolve()
    await reader
    await cluster.deleteUser()
    expect(await cluster.server.filesWith(PLANTED)).toEqual([])
  })
})
