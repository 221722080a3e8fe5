import { describe, expect, test } from 'vitest'
import { newReplay } from '@hookline/testing/records/new-replay'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { afterPurge, keptIds, receive, request } from './purge-requests.ts'
import { LANE, recordDelivery } from '../deliveries/recorded-delivery.ts'

export function purgesConformance(open: OpenBackendHarness): void {
  describe('a purge', () => {
    test('removes events with the userId or with it as previousId, and their deliveries and attempts', async () => {
      await using harness = await open()
      const { backend } = harness
      const [mine, alias, other] = await receive(
        harness,
        {},
        { type: 'alias', userId: 'u2', previousId: 'u1' },
        { userId: 'u2' },
      )
      await backend.events.archive([
        { event: mine!, declined: [{ destinationId: 'dst_b', reason: 'integrations' }] },
      ])
      const parked = await recordDelivery(harness, {}, acceptedEvent())
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u1'], sourceIds: null }
      const { purged } = await afterPurge(harness, purge)
      expect(purged).toEqual({ events: 3, anonymousEvents: 0, deliveries: 1 })
      expect(await keptIds(harness)).toEqual([other!.id])
      expect(await backend.events.find(alias!.id)).toBeUndefined()
      expect(await backend.deliveries.find(parked.id)).toBeUndefined()
      const claim = await backend.deliveries.claim(LANE, { due: NOON, limit: 9 })
      expect([...claim.deliveries, ...claim.unreadable]).toEqual([])
      expect(await backend.deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
      expect((await afterPurge(harness, purge)).purged).toEqual(purged)
    })

    test('removes the search texts of finished replays, which may contain user data', async () => {
      await using harness = await open()
      const { replays, deletions } = harness.backend
      const selection = { text: 'ada@example.com' }
      const [ended, running] = [newReplay({ selection }), newReplay({ selection })]
      for (const replay of [ended, running]) await replays.create(replay)
      await replays.cancel(ended.id, NOON)
      const { id: deletionId } = await request(harness)
      await purgeAll(deletions, { deletionId, userIds: ['u1'], sourceIds: null })
      const { text: _, ...withoutText } = ended.selection
      const kept = { ...ended, state: 'cancelled', finishedAt: NOON, selection: withoutText }
      expect(await replays.find(ended.id)).toEqual(kept)
      expect(await replays.find(running.id)).toEqual(running)
    })

    test('accepts ids of 20,000 characters', async () => {
      await using harness = await open()
      const random = Array.from({ length: 2_000 }, () => Math.random().toString(36)).join('')
      const ids = [`a${random.slice(0, 20_000)}`, `a${random.slice(0, 20_000)}b`, 'a\0b']
      await receive(harness, ...ids.map((userId) => ({ userId })))
      const { id: deletionId } = await request(harness, {}, ids)
      const { deletions } = harness.backend
      const kept: string[] = []
      for (let after = '', found = 1; found > 0; after = kept.at(-1) ?? '') {
        const page = await deletions.ids(deletionId, 'user', { after, limit: 1 })
        kept.push(...page)
        found = page.length
      }
      expect(kept.toSorted()).toEqual(ids.toSorted())
      await purgeAll(deletions, { deletionId, userIds: ids, sourceIds: null })
      expect(await keptIds(harness)).toEqual([])
    })

    test('processes any number of events and users, slice by slice', async () => {
      await using harness = await open()
      const userIds = Array.from({ length: 30 }, (_, index) => `user-${index}`)
      for (const userId of userIds)
        await receive(harness, ...Array.from({ length: 50 }, () => ({ userId })))
      const [stranger] = await receive(harness, { userId: 'stranger' })
      const { id: deletionId } = await request(harness, {}, userIds)
      const { purged } = await afterPurge(harness, {
        deletionId,
        userIds,
        sourceIds: null,
      })
      expect(purged.events).toBe(1500)
      expect(await keptIds(harness)).toEqual([stranger!.id])
    })

    test('finds a few events from a user among many others', async () => {
      await using harness = await open()
      const count = 20_000
      const isMine = (index: number): boolean => index % 1000 === 7 || index > count - 300
      await receive(
        harness,
        ...Array.from({ length: count }, (_, index) => ({ userId: isMine(index) ? 'u1' : 'u2' })),
        { type: 'alias', userId: 'u2', previousId: 'u1' },
      )
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u0', 'u1'], sourceIds: null }
      const { purged } = await afterPurge(harness, purge)
      expect(purged.events).toBe(20 + 299 + 1)
      const { events } = harness.backend
      expect((await events.list({ userId: 'u1' }, { limit: 9 })).data).toEqual([])
      expect((await events.list({ userId: 'u2' }, { limit: 9 })).data).toHaveLength(9)
    })

    test('of an empty archive finishes within one slice per kind of lookup', async () => {
      await using harness = await open()
      const { id: deletionId } = await request(harness)
      const purge = { deletionId, userIds: ['u1'], sourceIds: null }
      await harness.backend.deletions.advance(deletionId, 'purge', NOON)
      let slices = 0
      let cursor: string | undefined | null
      // One slice, unless a busy machine makes each lookup a slice.
      for (; cursor !== null && slices < 3; slices++)
        cursor = await harness.backend.deletions.purge({ ...purge, ...(cursor && { cursor }) })
      expect(cursor).toBeNull()
      expect(slices).toBeLessThanOrEqual(2)
    })

    test('can be followed by erasing while others write', async () => {
      await using harness = await open()
      const { backend } = harness
      const { id: deletionId } = await request(harness)
      await receive(harness, {}, {})
      await afterPurge(harness, { deletionId, userIds: ['u1'], sourceIds: null })
      const erasing = backend.deletions.erase(new AbortController().signal)
      const [event] = await receive(harness, { userId: 'u2' })
      await erasing
      expect(await keptIds(harness)).toEqual([event!.id])
      await harness.reopen()
      expect(await keptIds(harness)).toEqual([event!.id])
    })
  })
}
