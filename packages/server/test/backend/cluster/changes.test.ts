import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ReplicatedChanges } from '../../../src/backend/cluster/changes/replicated-changes.ts'
import { NO_SIGNALS } from '../../../src/backend/embedded/single-node.ts'
import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { clusterSkipReason, newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'

const NEVER_MS = 3_600_000

describe.skipIf(clusterSkipReason() !== undefined)('the change feed', () => {
  test('refreshes only the kind that another node has changed, immediately', async () => {
    await using database = await openDatabase()
    await using here = feedOn(database)
    await using there = feedOn(database)
    const tokens = new Refreshes(here, 'tokens')
    const purges = new Refreshes(here, 'purges')
    await expect.poll(() => [tokens.count, purges.count]).toEqual([1, 1])
    await database.postgres.write((transaction) => there.publish(transaction, 'tokens'))
    await expect.poll(() => tokens.count).toBe(2)
    expect(purges.count).toBe(1)
  })

  test('publishes nothing from a transaction that is rolled back', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database)
    const tokens = new Refreshes(feed, 'tokens')
    const purges = new Refreshes(feed, 'purges')
    await expect.poll(() => [tokens.count, purges.count]).toEqual([1, 1])
    const failed = database.postgres.write(async (transaction) => {
      await feed.publish(transaction, 'tokens')
      throw new RangeError('no change')
    })
    await expect(failed).rejects.toThrow(RangeError)
    await database.postgres.write((transaction) => feed.publish(transaction, 'purges'))
    await expect.poll(() => purges.count).toBe(2)
    expect(tokens.count).toBe(1)
  })

  test('finds a change by polling if its notification was lost', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database, 20)
    const tokens = new Refreshes(feed, 'tokens')
    await expect.poll(() => tokens.count).toBe(1)
    await changeWithoutNotification(database)
    await expect.poll(() => tokens.count).toBe(2)
  })

  test('checks for changes after reconnecting', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database)
    const tokens = new Refreshes(feed, 'tokens')
    await expect.poll(() => tokens.count).toBe(1)
    await expect.poll(() => listenerIn(database)).toBeDefined()
    await changeWithoutNotification(database)
    await database.postgres.run(
      sql`SELECT pg_terminate_backend(${await listenerIn(database)}::int)`,
    )
    await expect.poll(() => tokens.count).toBe(2)
    await database.postgres.write((transaction) => feed.publish(transaction, 'tokens'))
    await expect.poll(() => tokens.count).toBe(3)
  })

  test('retries a failed refresh, and reports the failure until it succeeds', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database, 20)
    let isBroken = true
    let refreshed = 0
    feed.on('catalog', () => {
      if (isBroken) return Promise.reject(new RangeError('broken'))
      return Promise.resolve(refreshed++)
    })
    await expect.poll(() => feed.failure).toBeInstanceOf(RangeError)
    isBroken = false
    await expect.poll(() => refreshed).toBe(1)
    expect(feed.failure).toBeUndefined()
  })

  test('runs one refresh at a time, and another for changes published during it', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database)
    const publish = () =>
      database.postgres.write((transaction) => feed.publish(transaction, 'catalog'))
    let running = 0
    let maxRunning = 0
    let refreshed = 0
    feed.on('catalog', async () => {
      maxRunning = Math.max(maxRunning, ++running)
      if (refreshed++ === 0) await Promise.all([publish(), publish(), publish()])
      running--
    })
    await expect.poll(() => refreshed).toBeGreaterThan(1)
    expect([maxRunning, running]).toEqual([1, 0])
  })

  test('numbers the changes of a kind in commit order', async () => {
    await using database = await openDatabase()
    await using feed = feedOn(database)
    const committed: number[] = []
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const number = await database.postgres.write((transaction) =>
          feed.publish(transaction, 'catalog'),
        )
        committed.push(number)
      }),
    )
    expect(committed.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('does not call a listener that has stopped, or any listener after the feed is disposed of', async () => {
    await using database = await openDatabase()
    const feed = feedOn(database, 20)
    const stopped = new Refreshes(feed, 'tokens')
    const going = new Refreshes(feed, 'tokens')
    await expect.poll(() => [stopped.count, going.count]).toEqual([1, 1])
    stopped.stop()
    await database.postgres.write((transaction) => feed.publish(transaction, 'tokens'))
    await expect.poll(() => going.count).toBe(2)
    expect(stopped.count).toBe(1)
    await feed[Symbol.asyncDispose]()
    await using other = feedOn(database)
    const seen = new Refreshes(other, 'tokens')
    await expect.poll(() => seen.count).toBe(1)
    await database.postgres.write((transaction) => other.publish(transaction, 'tokens'))
    await expect.poll(() => seen.count).toBe(2)
    expect(going.count).toBe(2)
  })
})

interface TestDatabase extends AsyncDisposable {
  readonly postgres: Postgres
  readonly url: Redacted
}

async function openDatabase(): Promise<TestDatabase> {
  const url = new Redacted((await newClusterNamespace()).databaseUrl)
  const postgres = new Postgres({ url })
  return { postgres, url, [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose]() }
}

/** Counts the refreshes of a kind. */
class Refreshes {
  count = 0
  readonly stop: () => void

  constructor(feed: ReplicatedChanges, kind: Parameters<ReplicatedChanges['on']>[0]) {
    this.stop = feed.on(kind, () => Promise.resolve(this.count++))
  }
}

function feedOn({ postgres, url }: TestDatabase, pollMs = NEVER_MS): ReplicatedChanges {
  return new ReplicatedChanges({ postgres, url, clock: systemClock, pollMs, signals: NO_SIGNALS })
}

async function changeWithoutNotification({ postgres }: TestDatabase): Promise<void> {
  await postgres.run(sql`INSERT INTO changes VALUES ('tokens', 1)`)
}

/** The process id of the backend that serves the listening connection. */
async function listenerIn({ postgres }: TestDatabase): Promise<number | undefined> {
  const rows = await postgres.run(sql<{ readonly pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
  return rows[0]?.pid
}
