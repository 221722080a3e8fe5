import { describe, expect, test } from 'vitest'
import { PostgresLeases } from '../../../src/backend/cluster/postgres-leases.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { systemClock } from '../../../src/util/time/clock.ts'
import { openPostgres } from './open-postgres.ts'

const NEVER = new AbortController().signal

describe.skipIf(clusterSkipReason() !== undefined)('among several nodes', () => {
  test('one node holds a lease, and the next one gets it after its release', async () => {
    await using postgres = await openPostgres()
    const [a, b] = [1, 2].map(
      () => new PostgresLeases({ postgres, clock: systemClock, leaseMs: 400 }),
    )
    const first = await a!.acquire('retention', NEVER)
    const waiting = b!.acquire('retention', NEVER)
    const won = await Promise.race([
      waiting.then(() => 'b'),
      a!.acquire('replays', NEVER).then(() => 'a'),
    ])
    expect(won).toBe('a')
    await first![Symbol.asyncDispose]()
    await using second = await waiting
    expect(second?.lost.aborted).toBe(false)
  })

  test('workers of one node share a lease until the last one releases it', async () => {
    await using postgres = await openPostgres()
    const leases = new PostgresLeases({ postgres, clock: systemClock })
    const [one, two] = await Promise.all([1, 2].map(() => leases.acquire('audiences', NEVER)))
    await one![Symbol.asyncDispose]()
    expect(two!.lost.aborted).toBe(false)
    await two![Symbol.asyncDispose]()
    expect(two!.lost.aborted).toBe(true)
  })

  test('a node that slept through its lease finds it lost, and another node holds it', async () => {
    await using postgres = await openPostgres()
    const clock = new ManualClock()
    const asleep = new PostgresLeases({ postgres, clock, leaseMs: 100 })
    const awake = new PostgresLeases({ postgres, clock: systemClock, leaseMs: 100 })
    const lease = await asleep.acquire('deletions', NEVER)
    await using taken = await awake.acquire('deletions', NEVER)
    expect(taken?.lost.aborted).toBe(false)
    clock.advance(25)
    await expect.poll(() => lease!.lost.aborted).toBe(true)
    await lease![Symbol.asyncDispose]()
    expect(taken?.lost.aborted).toBe(false)
  })

  test('a node that stops waiting gets no lease and leaves nothing behind', async () => {
    await using postgres = await openPostgres()
    const [a, b] = [1, 2].map(() => new PostgresLeases({ postgres, clock: systemClock }))
    await using held = await a!.acquire('replays', NEVER)
    expect(held).toBeDefined()
    const stop = new AbortController()
    const waiting = b!.acquire('replays', stop.signal)
    stop.abort()
    expect(await waiting).toBeUndefined()
  })
})
