import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { NewNotice } from '../../../src/backend/notices.ts'
import { noticeId } from '../../../src/deletions/deletions.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { noticesConformance } from '../conformance/deletions/notices.ts'
import { idsOf, partOf } from '../conformance/deliveries/recorded-delivery.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const deletionId = 'del_01kf0v8w007000000000000000'

function noticesOf(count: number): NewNotice[] {
  return Array.from({ length: count }, (_, index) => {
    const subject = { kind: 'user' as const, id: `u${index}` }
    const id = noticeId(deletionId, 'dst_a', subject)
    const to = { sourceId: 'src_a', destinationId: 'dst_a' }
    return { id, deletionId, ...to, subject, createdAt: NOON, dueAt: NOON }
  })
}

describe.skipIf(clusterSkipReason() !== undefined)('notices of a cluster', () => {
  noticesConformance(openClusterHarness)

  test('created concurrently by two nodes are stored once, and each is handed out by one node', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    const created = noticesOf(30)
    await Promise.all(nodes.map(({ notices }) => notices.create(created)))
    const claims = await Promise.all(nodes.map(({ noticeQueue }) => noticeQueue.claimUnsplit(99)))
    expect(claims.flatMap(idsOf).toSorted()).toEqual(created.map(({ id }) => id).toSorted())
  })

  test('are counted across all nodes', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    await harness.backend.notices.create(noticesOf(2))
    const claim = await harness.backend.noticeQueue.claimUnsplit(1)
    const [{ delivery }] = claim.deliveries as [(typeof claim.deliveries)[number]]
    const held = { ...delivery, state: 'held', dueAt: null } as const
    const webhooks = [partOf({ state: 'held' })]
    await harness.backend.noticeQueue.record([{ delivery: { ...held, webhooks }, attempts: [] }])
    const { waiting } = await other.noticeQueue.backlog()
    expect(waiting).toEqual([
      { destinationId: 'dst_a', state: 'held', count: 1 },
      { destinationId: 'dst_a', state: 'pending', count: 1 },
    ])
    const [progress] = await other.notices.progress(deletionId)
    expect(progress?.counts).toEqual({ waiting: 2, delivered: 0, failed: 0 })
  })
})
