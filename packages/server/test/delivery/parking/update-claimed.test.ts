import { expect, test } from 'vitest'
import { BackendUnavailable } from '../../../src/backend/backend.ts'
import type { Deliveries } from '../../../src/backend/deliveries.ts'
import { holdPending } from '../../../src/delivery/parking/hold-pending.ts'
import { NO_ACTIVITY } from '../../harness/no-activity.ts'
import { purgeAll } from '../../harness/purge-all.ts'
import { TestEngine } from '../../harness/test-engine.ts'
import { openReceiver } from '../../harness/receiver.ts'

const HOUR = 60 * 60 * 1000

test('deliveries that are claimed to be held are released when the backend is unavailable', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await expect.poll(() => engine.deliveries({})).toHaveLength(3)
  const { deliveries, deletions } = engine.backend
  const unavailable: Deliveries = {
    record: () => Promise.reject(new BackendUnavailable('unavailable, by the test')),
    claim: (id, options) => deliveries.claim(id, options),
    release: (ids) => deliveries.release(ids),
    nextDue: () => deliveries.nextDue(),
    unhold: (id, now) => deliveries.unhold(id, now),
    find: (id) => deliveries.find(id),
    list: (filter, page) => deliveries.list(filter, page),
  }
  await expect(
    holdPending('dst_a', { deliveries: unavailable, deletions, activity: NO_ACTIVITY }),
  ).rejects.toThrow('unavailable')
  const claim = await deliveries.claim('dst_a', { now: Date.now() + 2 * HOUR, limit: 10 })
  expect(claim.deliveries).toHaveLength(3)
})

test('deliveries that are claimed while their user is purged are not recorded after the purge', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await expect.poll(() => engine.deliveries({})).toHaveLength(3)
  const { deletions } = engine.backend
  const now = Date.now()
  const request = { createdAt: now, sourceIds: null, suppress: false, users: 1 }
  await deletions.create({ id: 'del_a', ...request }, ['u1'])
  await deletions.advance('del_a', 'purge', now)
  // The claim reads the rows before the purge, and the writer thread would write the record after it.
  const purge = { deletionId: 'del_a', userIds: ['u1'], sourceIds: null }
  const purging = deletions.purge(purge)
  const context = { ...engine.backend, activity: NO_ACTIVITY }
  expect((await holdPending('dst_a', context)).isMore).toBe(false)
  await purging
  // A slow machine leaves a part of the purge to later slices.
  await purgeAll(deletions, purge)
  expect(await engine.deliveries({})).toEqual([])
})
