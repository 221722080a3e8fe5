import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { receive, request } from '../conformance/deletions/purge-requests.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

/** Purges u1. */
async function purge(harness: ClusterHarness): Promise<void> {
  const { id: deletionId } = await request(harness)
  await purgeAll(harness.backend.deletions, { deletionId, userIds: ['u1'], sourceIds: null })
}

async function kept(harness: ClusterHarness): Promise<number> {
  const [row] = await harness.sql('SELECT count(*)::int AS count FROM purged_ids')
  return row!['count'] as number
}

const AGED = `UPDATE purged_ids SET added_at = added_at - 25 * 3600000`

describe.skipIf(clusterSkipReason() !== undefined)('the record of a purged user', () => {
  test('is removed after a day', async () => {
    await using harness = await openClusterHarness()
    await receive(harness, {})
    await purge(harness)
    await receive(harness, { userId: 'u2' })
    const { upkeep } = harness.backend
    await upkeep.removeOldest({ before: NOON })
    expect(await kept(harness)).toBe(2)
    await harness.sql(AGED)
    await upkeep.removeOldest({ before: NOON })
    expect(await kept(harness)).toBe(0)
  })

  test('is kept while the log contains an event from before the purge, which is refused', async () => {
    await using harness = await openClusterHarness()
    const { log, upkeep, events } = harness.backend
    await log.append([acceptedEvent()])
    await purge(harness)
    await harness.sql(AGED)
    await upkeep.removeOldest({ before: NOON })
    expect(await kept(harness)).toBe(2)
    await harness.settle()
    expect((await events.list({}, { limit: 9 })).data).toEqual([])
    await upkeep.removeOldest({ before: NOON })
    expect(await kept(harness)).toBe(0)
  })
})
