import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Connection } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { markUnerased } from '../../../../src/backend/cluster/deletions/remove-events.ts'
import {
  beginCopy,
  eraseRemoved,
  removeCopies,
  rewriteDay,
} from '../../../../src/backend/cluster/erasure/erase.ts'
import {
  DAILY_TABLES,
  partitionOf,
  startOf,
} from '../../../../src/backend/cluster/postgres/days.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { systemClock } from '../../../../src/util/time/clock.ts'
import { DAY, ErasedCluster, failOnce, someEvents } from './erased-cluster.ts'
import { SEED } from '@hookline/testing/run/seed'

const EVENTS = DAILY_TABLES[0]
const PARTITION = partitionOf('events', DAY)
const NEVER = new AbortController().signal

function erasing({ postgres }: ErasedCluster, signal = NEVER) {
  return { postgres, clock: systemClock, signal }
}

/** The tables of the day with their file numbers. */
async function filesOf({ postgres }: ErasedCluster): Promise<Readonly<Record<string, number>>> {
  const names = DAILY_TABLES.map(({ name }) => partitionOf(name, DAY))
  const rows = await postgres.run(sql<{ readonly name: string; readonly file: number }>`
    SELECT relname AS name, relfilenode::bigint AS file FROM pg_class WHERE relname = ANY(${names}::text[])`)
  return Object.fromEntries(rows.map(({ name, file }) => [name, file]))
}

async function leftTables({ postgres }: ErasedCluster): Promise<readonly unknown[]> {
  return postgres.run(sql`SELECT relname FROM pg_class WHERE relname LIKE 'erasing%'
    UNION ALL SELECT tgname FROM pg_trigger WHERE tgname LIKE 'erasing%'`)
}

/** All rows in a table, sorted. */
async function rowsOf({ postgres }: ErasedCluster, table: string): Promise<readonly unknown[]> {
  return postgres.run(sql`SELECT * FROM ${sql.id(table)} ORDER BY 1, 2`)
}

describe.skipIf(clusterSkipReason() !== undefined)('a rewritten day', () => {
  test('has the same rows, indexes, statistics targets and bounds', async () => {
    await using cluster = await ErasedCluster.open()
    const events = someEvents(2_500, seededRandom(SEED))
    await cluster.archive(events)
    const described = () =>
      cluster.postgres.run(sql`
        SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.*USING', '') AS index, indexrelid::regclass::text AS name, indisprimary,
          EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid) AS is_attached,
          (SELECT string_agg(attstattarget::text, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = indexrelid) AS targets,
          (SELECT string_agg(attname || attstattarget, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = indrelid) AS columns,
          (SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = indrelid) AS bounds,
          (SELECT count(*) FROM pg_constraint WHERE conrelid = indrelid) AS constraints
        FROM pg_index WHERE indrelid = ${PARTITION}::regclass ORDER BY 1`)
    const before = [await described(), await rowsOf(cluster, 'events'), await filesOf(cluster)]
    await rewriteDay(erasing(cluster), EVENTS, DAY)
    expect(await described()).toEqual(before[0])
    expect(await rowsOf(cluster, 'events')).toEqual(before[1])
    expect(await filesOf(cluster)).not.toEqual(before[2])
    expect(await leftTables(cluster)).toEqual([])
  })

  test('is attached without a scan, because a constraint proves its bounds', async () => {
    await using cluster = await ErasedCluster.open()
    await cluster.archive(someEvents(10, seededRandom(SEED)))
    const copy = (await beginCopy(erasing(cluster), EVENTS, DAY))!
    const client = new pg.Client({
      connectionString: cluster.options.databaseUrl.reveal(),
      options: '-c search_path=hookline -c client_min_messages=debug1',
    })
    const notices: string[] = []
    client.on('notice', ({ message = '' }) => notices.push(message))
    await client.connect()
    const [from, to] = [DAY, DAY + 1].map((day) => startOf('evt', day))
    await client.query(`BEGIN; ALTER TABLE events DETACH PARTITION ${PARTITION};
      ALTER TABLE events ATTACH PARTITION ${copy.name} FOR VALUES FROM ('${from}') TO ('${to}'); ROLLBACK`)
    await client.end()
    expect(notices).toContain(
      `partition constraint for table "${copy.name}" is implied by existing constraints`,
    )
  })

  test('keeps all concurrent changes, and restores no removed event', async () => {
    await using cluster = await ErasedCluster.open()
    const { backend } = cluster
    const random = seededRandom(SEED)
    const first = someEvents(3_000, random)
    await cluster.archive(first)
    await failOnce(backend, first.slice(0, 500))
    const stop = new AbortController()
    const archived = [...first]
    const attempts = new Set(first.slice(0, 500).map(({ id }) => id))
    const removed = new Set<string>()
    const duplicates = new Map<string, number>()
    const write = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const events = someEvents(20, random)
        await cluster.archive(events)
        archived.push(...events)
        const failed = [...events.slice(0, 5), archived[Math.floor(random() * 500)]!].filter(
          ({ id }) => !removed.has(id) && !attempts.has(id),
        )
        await failOnce(backend, failed)
        for (const { id } of failed) attempts.add(id)
        const original = archived[1_000 + Math.floor(random() * 500)]!
        const { sourceId, event } = original
        await cluster.archive([acceptedEvent({ ...event, sourceId, at: NOON })])
        duplicates.set(original.id, (duplicates.get(original.id) ?? 0) + 1)
      }
    }
    const remove = async (): Promise<void> => {
      for (let index = 2_000; !stop.signal.aborted && index < 3_000; index++) {
        const { id } = first[index]!
        await cluster.postgres.write(async (transaction) => {
          await sql`SELECT set_config('hookline.removal', 'on', true)`.execute(transaction)
          await sql`DELETE FROM events WHERE id = ${id}`.execute(transaction)
        })
        removed.add(id)
      }
    }
    const working = Promise.all([write(), write(), remove()])
    for (let times = 0; times < 4; times++) {
      await cluster.postgres.write((transaction) => markUnerased(transaction, [first[0]!.id]))
      expect(await eraseRemoved(erasing(cluster))).toBe(true)
    }
    stop.abort()
    await working
    console.log(
      `seed ${SEED}: ${archived.length} events, ${removed.size} removed, 4 times rewritten`,
    )
    const kept = archived.filter(({ id }) => !removed.has(id)).map(({ id }) => id)
    const rows = await cluster.postgres.run(sql<{ readonly id: string; readonly n: number }>`
      SELECT id, duplicates AS n FROM events`)
    expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
    const counted = rows.filter(({ n }) => n > 0).map(({ id, n }) => [id, n])
    expect(new Map(counted as [string, number][])).toEqual(duplicates)
    const [{ n: failures }] = (await cluster.postgres.run(
      sql`SELECT count(*)::int AS n FROM attempts`,
    )) as [{ n: number }]
    expect(failures).toBe(attempts.size)
    expect((await backend.upkeep.inventory()).events.count).toBe(kept.length)
    expect(archived.length).toBeGreaterThan(first.length)
    expect(removed.size).toBeGreaterThan(0)
  })

  test('includes all changes made before its copy replaced it', async () => {
    await using cluster = await ErasedCluster.open()
    const events = someEvents(5_000, seededRandom(SEED))
    await cluster.archive(events)
    const rewriting = rewriteDay(erasing(cluster), EVENTS, DAY)
    await expect.poll(() => leftTables(cluster), { interval: 5 }).not.toEqual([])
    await cluster.postgres.run(sql`UPDATE events SET duplicates = 7`)
    await rewriting
    const counts = await cluster.postgres.run(
      sql`SELECT duplicates, count(*)::int AS n FROM events GROUP BY 1`,
    )
    expect(counts).toEqual([{ duplicates: 7, n: 5_000 }])
  })

  test('is unchanged by a node that is stopped or killed', async () => {
    await using cluster = await ErasedCluster.open()
    await cluster.archive(someEvents(100, seededRandom(SEED)))
    const before = await filesOf(cluster)
    const stop = new AbortController()
    const rewriting = rewriteDay(erasing(cluster, stop.signal), EVENTS, DAY)
    stop.abort()
    await expect(rewriting).rejects.toBe(stop.signal.reason)
    expect([await filesOf(cluster), await leftTables(cluster)]).toEqual([before, []])

    await beginCopy(erasing(cluster), EVENTS, DAY)
    expect((await leftTables(cluster)).length).toBeGreaterThan(2)
    await cluster.archive(someEvents(100, seededRandom(SEED + 1)))
    expect(await eraseRemoved(erasing(cluster))).toBe(true)
    expect([await filesOf(cluster), await leftTables(cluster)]).toEqual([before, []])
    expect(await rowsOf(cluster, 'events')).toHaveLength(200)
  })

  test('is not replaced by the copy of a node that has lost its lease', async () => {
    await using cluster = await ErasedCluster.open()
    await cluster.archive(someEvents(100, seededRandom(SEED)))
    const before = await filesOf(cluster)
    const reading = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    // The last step waits for the table.
    const reader = cluster.postgres.write(async (transaction) => {
      await sql`SELECT FROM ONLY events`.execute(transaction)
      reading.resolve()
      await ended.promise
    })
    await reading.promise
    const rewriting = rewriteDay(erasing(cluster), EVENTS, DAY)
    const refused = expect(rewriting).rejects.toThrow('Another node is rewriting')
    await expect.poll(() => leftTables(cluster)).not.toEqual([])
    // Another node starts to erase.
    await removeCopies(erasing(cluster))
    await cluster.archive(someEvents(10, seededRandom(SEED + 1)))
    ended.resolve()
    await reader
    await refused
    expect(await filesOf(cluster)).toEqual(before)
    expect(await rowsOf(cluster, 'events')).toHaveLength(110)
    expect(await leftTables(cluster)).toEqual([])
  })

  test('waits for a snapshot of several statements, which sees all rows', async () => {
    await using cluster = await ErasedCluster.open()
    const events = someEvents(10, seededRandom(SEED))
    await cluster.archive(events)
    await cluster.backend.quarantine.add([{ id: events[0]!.id, reason: 'a', at: NOON }])
    await cluster.postgres.write((transaction) => markUnerased(transaction, [events[0]!.id]))
    const count = async (db: Connection, table: string): Promise<number> =>
      (
        await sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM ${sql.id(table)}`.execute(
          db,
        )
      ).rows[0]!.n
    let erased: Promise<boolean> | undefined
    const seen = await cluster.postgres.snapshot(async (transaction) => {
      await count(transaction, 'cursors')
      erased = eraseRemoved(erasing(cluster))
      await Promise.race([erased, sleep(1_000)])
      return [await count(transaction, 'quarantine'), await count(transaction, 'events')]
    })
    expect(seen).toEqual([1, 10])
    expect(await erased).toBe(true)
  })

  test('can be dropped by retention at the same time', async () => {
    await using cluster = await ErasedCluster.open()
    const events = someEvents(3_000, seededRandom(SEED))
    await cluster.archive(events)
    await cluster.postgres.write((transaction) => markUnerased(transaction, [events[0]!.id]))
    const erased = eraseRemoved(erasing(cluster))
    await expect.poll(() => leftTables(cluster), { interval: 5 }).not.toEqual([])
    const slice = { before: (DAY + 2) * DAY_MS }
    for (let cursor: string | null | undefined; cursor !== null;)
      ({ cursor } = await cluster.backend.upkeep.removeOldest({
        ...slice,
        ...(cursor && { cursor }),
      }))
    expect(await erased).toBe(true)
    expect(await rowsOf(cluster, 'events')).toEqual([])
    expect(await cluster.postgres.run(sql`SELECT day FROM unerased_days WHERE is_begun`)).toEqual(
      [],
    )
    expect(await leftTables(cluster)).toEqual([])
  })
})
