import { describe, expect, test } from 'vitest'
import { chunkOf } from '../../../src/backend/cluster/jetstream/chunk.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('the outbox', () => {
  test('is moved to the log once and in order by several nodes', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const events = Array.from({ length: 100 }, () => computedEvent())
    const values = events.map((event) => `('\\x${chunkOf([event]).toString('hex')}'::bytea)`)
    await harness.sql(`INSERT INTO outbox (chunk) VALUES ${values.join()}`)
    await expect.poll(() => harness.sql('SELECT number FROM outbox')).toEqual([])
    const ids: string[] = []
    const stop = new AbortController()
    for await (const entries of other.log.consume({ signal: stop.signal })) {
      ids.push(...entries.flatMap((entry) => entry.events.map(({ id }) => id)))
      await other.log.ack(entries)
      if (ids.length >= events.length) break
    }
    expect(ids).toEqual(events.map(({ id }) => id))
    await harness.settle()
    expect((await other.events.list({}, { limit: 9 })).data).toEqual([])
  })
})
