import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { Suppression } from '../../../src/backend/deletions.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { suppressionsConformance } from '../conformance/deletions/suppressions.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const suppression: Suppression = {
  kind: 'user',
  id: 'u1',
  sourceId: null,
  since: NOON,
  deletionId: 'del_a',
}

describe.skipIf(clusterSkipReason() !== undefined)('suppressions of a cluster', () => {
  suppressionsConformance(openClusterHarness)

  test('apply on other nodes, and can be removed there', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const isKnown = () => other.suppressions.has('src_a', 'user', 'u1')
    await harness.backend.suppressions.add([suppression])
    await expect.poll(isKnown).toBe(true)
    expect(await other.suppressions.remove(suppression)).toBe(true)
    const isGone = () => harness.backend.suppressions.has('src_a', 'user', 'u1')
    await expect.poll(isGone).toBe(false)
    await harness.backend.suppressions.add([suppression])
    await expect.poll(isKnown).toBe(true)
  })

  test('reach another node even if the notification is lost', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    // Like a node, but without a notification.
    await harness.sql(`
      INSERT INTO suppressions (seq, kind, user_id, source_id, since, deletion_id)
        VALUES (1, 'user', 'u1', '', ${NOON}, 'del_a');
      INSERT INTO changes AS kept VALUES ('suppressions', 1)
        ON CONFLICT (kind) DO UPDATE SET number = kept.number + 1`)
    await expect.poll(() => other.suppressions.has('src_a', 'user', 'u1')).toBe(true)
  })

  test('are the same on both nodes after concurrent changes, and each is stored once', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    const ids = Array.from({ length: 20 }, (_, index) => `u${index}`)
    await Promise.all(
      ids.flatMap((id) =>
        nodes.map(({ suppressions }) => suppressions.add([{ ...suppression, id }])),
      ),
    )
    await Promise.all(
      ids.slice(10).map((id, index) => nodes[index % 2]!.suppressions.remove({ kind: 'user', id })),
    )
    const { data } = await harness.backend.suppressions.list({}, { limit: 99 })
    expect(data.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 10).toSorted())
    for (const { suppressions } of nodes)
      await expect
        .poll(() => ids.filter((id) => suppressions.has('src_a', 'user', id)))
        .toEqual(ids.slice(0, 10))
  })
})
