import { expect, test } from 'vitest'
import { BackendUnavailable } from '../../../src/backend/backend.ts'
import type { Deliveries } from '../../../src/backend/deliveries.ts'
import { holdPending } from '../../../src/delivery/parking/hold-pending.ts'
import { NO_ACTIVITY } from '../../harness/no-activity.ts'
import { purgeAll } from '../../harness/purge-all.ts'
import { TestEngine } from '../../harness/test-engine.ts'
import { openReceiver } from '../../harness/receiver.ts'

const HOUR = 60 * 60 * 1000

test('what is claimed to be held, and cannot be because the backend is away, is in nobody’s hands', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await expect.poll(() => engine.deliveries({})).toHaveLength(3)
  const { deliveries, deletions } = engine.backend
  const away: Deliveries = {
    record: () => Promise.reject(new BackendUnavailable('away, by the test')),
    claim: (id, options) => deliveries.claim(id, options),
    release: (ids) => deliveries.release(ids),
    nextDue: () => deliveries.nextDue(),
    unhold: (id, now) => deliveries.unhold(id, now),
    find: (id) => deliveries.find(id),
    list: (filter, page) => deliveries.list(filter, page),
  }
  await expect(
    holdPending('dst_a', { deliveries: away, deletions, activity: NO_ACTIVITY }),
  ).rejects.toThrow('away')
  const claim = await deliveries.claim('dst_a', { now: Date.now() + 2 * HOUR, limit: 10 })
  expect(claim.deliveries).toHaveLength(3)
})

test('what is claimed while its user is purged is not kept behind the purge, which would bring it back', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await expect.poll(() => engine.deliveries({})).toHaveLength(3)
  const { deletions } = engine.backend
  const until = Date.now()
  const request = { createdAt: until, sourceIds: null, suppress: false, users: 1 }
  await deletions.create({ id: 'del_a', ...request }, ['u1'])
  // The rows are read as they were before, and written behind the purge that is under way.
  const purge = { deletionId: 'del_a', userIds: ['u1'], sourceIds: null, until }
  const purging = purgeAll(deletions, purge)
  const context = { ...engine.backend, activity: NO_ACTIVITY }
  expect((await holdPending('dst_a', context)).isMore).toBe(false)
  await purging
  expect(await engine.deliveries({})).toEqual([])
})
