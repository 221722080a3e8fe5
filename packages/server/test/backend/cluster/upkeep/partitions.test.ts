import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import {
  DAILY_TABLES,
  partitionOf,
  startOf,
} from '../../../../src/backend/cluster/postgres/days.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import {
  createFuturePartitions,
  readDays,
} from '../../../../src/backend/cluster/upkeep/partitions.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { ClusterDays, removeAll } from './cluster-days.ts'

/** Keeps a transaction that has read `table` open while `use` runs. */
async function whileInUse(days: ClusterDays, table: string, use: () => Promise<void>) {
  const options = '-c search_path=hookline'
  const client = new pg.Client({
    connectionString: days.harness.options.databaseUrl.reveal(),
    options,
  })
  await client.connect()
  try {
    await client.query(`BEGIN; SELECT 1 FROM ${table} LIMIT 1`)
    await use()
  } finally {
    await client.end()
  }
}

describe.skipIf(clusterSkipReason() !== undefined)('partitions of days', () => {
  test('are created ahead by nodes that run at the same time', async () => {
    await using days = await ClusterDays.open()
    await using other = await openClusterBackend(days.harness.options)
    await Promise.all([days.backend, other].map((each) => removeAll(each, { before: 0 })))
    const { today, days: created } = await readDays(days.postgres)
    const ahead = Array.from({ length: 9 }, (_, index) => today - 1 + index)
    expect(created.slice(1)).toEqual(ahead)
    for (const { name } of DAILY_TABLES)
      for (const day of ahead) expect(await days.has(partitionOf(name, day))).toBe(true)
  })

  test('take over earlier rows without changing a count', async () => {
    await using days = await ClusterDays.open()
    const inAWeek = Date.now() + 5 * DAY_MS
    const [event] = await days.archive(3, inAWeek)
    await days.deliver(event!, 'pending')
    const before = await days.backend.upkeep.usedBytes()
    expect(await days.count('events_default')).toBe(3)
    await removeAll(days.backend, { before: 0 })
    for (const { name } of DAILY_TABLES) expect(await days.count(`${name}_default`)).toBe(0)
    expect(await days.count('events')).toBe(3)
    expect(await days.backend.upkeep.usedBytes()).toBe(before)
    expect(await days.backend.upkeep.missing()).toEqual({
      events: 0,
      decisions: 0,
      deliveries: 0,
      messages: 0,
    })
  })

  test('are not created for a day that already has many rows', async () => {
    await using days = await ClusterDays.open()
    const { today } = await readDays(days.postgres)
    await days.sql(`INSERT INTO declined SELECT '${startOf('evt', today + 3)}' || i, 'dst_a', 'integrations'
      FROM generate_series(10000, 15000) AS i`)
    await createFuturePartitions(days.postgres, 4)
    const created = await Promise.all(
      [2, 3, 4].map((day) => days.has(partitionOf('events', today + day))),
    )
    expect(created).toEqual([true, false, true])
  })

  test('are left for the next run if a table is in use', async () => {
    await using days = await ClusterDays.open()
    const before = await readDays(days.postgres)
    await whileInUse(days, 'deliveries_default', async () => {
      await createFuturePartitions(days.postgres, 4)
      expect(await readDays(days.postgres)).toEqual(before)
    })
    await createFuturePartitions(days.postgres, 4)
    expect((await readDays(days.postgres)).days.length).toBe(before.days.length + 3)
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('a day that is old enough', () => {
  test('is dropped after waiting deliveries and their data are moved out of it', async () => {
    await using days = await ClusterDays.open()
    const { upkeep, events } = days.backend
    const [waiting, ...rest] = await days.archive(50)
    const kept = await days.deliver(waiting!, 'pending')
    const dropped = await days.deliver(rest[0]!, 'delivered')
    await days.sql(`INSERT INTO quarantine VALUES ('${dropped}', 'x', 1), ('${kept}', 'x', 1)`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(49)
    for (const { name } of DAILY_TABLES) expect(await days.has(days.partition(name))).toBe(false)
    expect((await events.find(waiting!.id))?.declined).toHaveLength(1)
    expect(await events.find(rest[0]!.id)).toBeUndefined()
    for (const { name } of DAILY_TABLES) expect(await days.count(`${name}_default`)).toBe(1)
    expect(await upkeep.backlog()).toMatchObject({
      waiting: [{ destinationId: 'dst_a', state: 'pending', count: 1 }],
      quarantined: 1,
    })
    expect((await upkeep.inventory()).events.count).toBe(1)
    expect(await upkeep.missing()).toEqual({ events: 0, decisions: 0, deliveries: 0, messages: 0 })
    await days.sql(`UPDATE deliveries SET state = 'delivered', is_waiting = false`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(1)
    expect(await upkeep.usedBytes()).toBe(0)
  })

  test('keeps the attempts of notices, which expire with their deletion', async () => {
    await using days = await ClusterDays.open()
    const [event] = await days.archive(2)
    const notice = await days.deliver(event!, 'delivered')
    await days.sql(`DELETE FROM deliveries; INSERT INTO notices
      (id, deletion_id, source_id, destination_id, kind, user_id, created_at, state, attempt_count, first_due_at, attempts, webhooks, is_waiting)
      VALUES ('${notice}', 'del_1', 'src_a', 'dst_a', 'user', 'u', 1, 'pending', 1, 1, 1, '[]', true)`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(2)
    expect(await days.count('attempts')).toBe(1)
  })

  test('is kept until every follower of the archive has read all of it', async () => {
    await using days = await ClusterDays.open()
    await days.archive(5)
    await days.sql(`INSERT INTO cursors VALUES ('follower', 4)`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(0)
    await days.sql(`UPDATE cursors SET through = 5`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(5)
  })

  test('is kept while the log contains one of its events', async () => {
    await using days = await ClusterDays.open()
    const [event] = await days.archive(5)
    await days.backend.log.append([event!])
    expect(await removeAll(days.backend, { before: days.after })).toBe(0)
    await days.harness.settle()
    expect(await removeAll(days.backend, { before: days.after })).toBe(5)
  })

  test('does not block writers while a table is in use, and is dropped later', async () => {
    await using days = await ClusterDays.open()
    await days.archive(5)
    await whileInUse(days, days.partition('attempts'), async () => {
      expect(await removeAll(days.backend, { before: days.after })).toBe(0)
      await days.archive(1)
    })
    expect(await removeAll(days.backend, { before: days.after })).toBe(6)
  })

  test('is dropped once by nodes that run at the same time', async () => {
    await using days = await ClusterDays.open()
    await using other = await openClusterBackend(days.harness.options)
    await days.archive(20)
    await days.archive(600, days.noon - 5 * DAY_MS)
    const removed = await Promise.all(
      [days.backend, other].map((each) => removeAll(each, { before: days.after })),
    )
    expect(removed[0]! + removed[1]!).toBe(620)
    expect(await days.count('events')).toBe(0)
  })

  test('is removed event by event if many of its deliveries are waiting', async () => {
    await using days = await ClusterDays.open()
    await days.archive(1_005)
    await days.sql(`INSERT INTO deliveries
      (id, event_id, destination_id, state, attempt_count, first_due_at, webhooks, is_waiting)
      SELECT 'msg_' || substr(id, 5), id, 'dst_a', 'held', 0, 1, '[]', true FROM events ORDER BY id LIMIT 1001`)
    expect(await removeAll(days.backend, { before: days.after })).toBe(4)
    expect(await days.has(days.partition('events'))).toBe(true)
    expect(await days.count('events')).toBe(1_001)
  })

  test('is dropped to free space only if it is a small part of the data', async () => {
    await using days = await ClusterDays.open()
    await days.archive(300)
    const all = await days.backend.upkeep.removeOldest({ cursor: 'evt_' })
    expect(all).toMatchObject({ removed: 0 })
    const cursor = all.cursor!
    expect((await days.backend.upkeep.removeOldest({ cursor })).removed).toBe(250)
    await days.archive(1_000, Date.now())
    expect((await days.backend.upkeep.removeOldest({ cursor })).removed).toBe(50)
    expect(await days.has(days.partition('events'))).toBe(false)
  })
})
