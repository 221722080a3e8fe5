import { describe, expect, test } from 'vitest'
import type { Sync } from '../../../../src/backend/syncs.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'

const syncOf = (number: number, change: Partial<Sync> = {}): Sync => ({
  id: `syn_${String(number).padStart(3, '0')}`,
  computationId: 'aud_a',
  reason: 'requested',
  version: 1,
  destinationIds: ['dst_a'],
  addedDestinationIds: [],
  formerDestinationIds: [],
  state: 'done',
  createdAt: NOON + number,
  startedAt: NOON,
  finishedAt: NOON,
  evaluated: 7,
  announced: 0,
  entered: 1,
  left: 2,
  missed: 3,
  afterProfile: null,
  afterUser: null,
  error: null,
  ...change,
})

const idsOf = (syncs: Iterable<Sync>): string[] => [...syncs].map(({ id }) => id)

export function syncsConformance(open: OpenBackendHarness): void {
  describe('syncs', () => {
    test('are stored as last put, across a restart', async () => {
      await using harness = await open()
      const { syncs } = harness.backend
      const running = syncOf(1, {
        state: 'running',
        reason: 'changed',
        addedDestinationIds: ['dst_a'],
        finishedAt: null,
        afterProfile: 17,
        afterUser: '',
      })
      await syncs.put({ ...running, state: 'waiting', afterProfile: 0 })
      await syncs.put(running)
      await syncs.put(running)
      await harness.reopen()
      const again = harness.backend.syncs
      expect(await again.list('aud_a', { limit: 9 })).toEqual({ data: [running], nextCursor: null })
      expect(await again.open()).toEqual([running])
    })

    test('that are waiting or running are open, oldest first', async () => {
      await using harness = await open()
      const { syncs } = harness.backend
      await syncs.put(syncOf(4, { state: 'waiting', computationId: 'aud_b' }))
      await syncs.put(syncOf(2, { state: 'running' }))
      await syncs.put(syncOf(1, { state: 'done' }))
      await syncs.put(syncOf(3, { state: 'failed', error: 'why' }))
      expect(idsOf(await syncs.open())).toEqual(['syn_002', 'syn_004'])
      await syncs.put(syncOf(2, { state: 'done' }))
      expect(idsOf(await syncs.open())).toEqual(['syn_004'])
    })

    test('of a computation are listed newest first, page by page', async () => {
      await using harness = await open()
      const { syncs } = harness.backend
      for (const number of [2, 1, 3]) await syncs.put(syncOf(number))
      await syncs.put(syncOf(4, { computationId: 'aud_b' }))
      const { data, nextCursor } = await syncs.list('aud_a', { limit: 2 })
      expect(idsOf(data)).toEqual(['syn_003', 'syn_002'])
      const rest = await syncs.list('aud_a', { limit: 2, cursor: nextCursor! })
      expect([idsOf(rest.data), rest.nextCursor]).toEqual([['syn_001'], null])
    })

    test('are limited to 20 finished ones per computation, not counting open ones', async () => {
      await using harness = await open()
      const { syncs } = harness.backend
      await syncs.put(syncOf(1, { state: 'running' }))
      await syncs.put(syncOf(2, { computationId: 'aud_b' }))
      for (let number = 10; number < 35; number++) await syncs.put(syncOf(number))
      const { data } = await syncs.list('aud_a', { limit: 99 })
      expect(data).toHaveLength(21)
      expect(idsOf(data).slice(-2)).toEqual(['syn_015', 'syn_001'])
      expect(idsOf((await syncs.list('aud_b', { limit: 9 })).data)).toEqual(['syn_002'])
    })

    test('include the most recent finished one of each computation, which `last` returns', async () => {
      await using harness = await open()
      const { syncs } = harness.backend
      expect((await syncs.last()).size).toBe(0)
      await syncs.put(syncOf(1))
      await syncs.put(syncOf(2, { state: 'failed' }))
      await syncs.put(syncOf(3, { state: 'running' }))
      await syncs.put(syncOf(4, { state: 'running', computationId: 'aud_b' }))
      await syncs.put(syncOf(5, { computationId: 'aud_c' }))
      const last = await syncs.last()
      expect([...last.keys()].toSorted()).toEqual(['aud_a', 'aud_c'])
      expect(last.get('aud_a')).toEqual(syncOf(2, { state: 'failed' }))
    })

    test('are removed with their computation, even if it has no members', async () => {
      await using harness = await open()
      const { syncs, memberships } = harness.backend
      await syncs.put(syncOf(1))
      await syncs.put(syncOf(2, { state: 'running' }))
      await syncs.put(syncOf(3, { computationId: 'aud_b' }))
      while (await memberships.forget('aud_a'));
      expect(idsOf((await syncs.list('aud_a', { limit: 9 })).data)).toEqual([])
      expect(await syncs.open()).toEqual([])
      expect(idsOf((await syncs.list('aud_b', { limit: 9 })).data)).toEqual(['syn_003'])
    })
  })
}
