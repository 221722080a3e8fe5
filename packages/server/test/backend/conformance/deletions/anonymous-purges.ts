import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newReplay } from '@hookline/testing/records/new-replay'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { anonymous, follow, profileOf } from '../profiles/profile-changes.ts'
import { keptIds, purgeAnonymous, purgeUser, receive } from './purge-requests.ts'
import { recordDelivery } from '../deliveries/recorded-delivery.ts'

const idsOf = (events: readonly (AcceptedEvent | undefined)[]) => events.map((each) => each!.id)
const onlyAnonymous = { userId: undefined } as unknown as { userId: string }

export function anonymousPurgesConformance(open: OpenBackendHarness): void {
  describe('a purge of an anonymousId', () => {
    test('removes all events with it, regardless of their userId, and alias calls that name it', async () => {
      await using harness = await open()
      const [, , , ...others] = await receive(
        harness,
        { anonymousId: 'a1' },
        { ...onlyAnonymous, anonymousId: 'a1' },
        { type: 'alias', userId: 'u2', previousId: 'a1' },
        { anonymousId: 'a2' },
        { userId: 'a1' },
        { properties: { anonymousId: 'a1' } },
      )
      const parked = await recordDelivery(harness, {})
      const { purged } = await purgeAnonymous(harness, ['a1', 'a 3'])
      expect(purged).toEqual({ events: 3, anonymousEvents: 1, deliveries: 0 })
      expect(await keptIds(harness)).toEqual([parked.eventId, ...idsOf(others).toReversed()])
    })

    test('keeps events from other sources, and removes the deliveries of purged events', async () => {
      await using harness = await open()
      const [elsewhere] = await receive(harness, { anonymousId: 'a1', sourceId: 'src_b' })
      const { id } = await recordDelivery(harness, {}, acceptedEvent({ anonymousId: 'a1' }))
      const { purged } = await purgeAnonymous(harness, ['a1'], ['src_a'])
      expect(purged).toMatchObject({ events: 1, deliveries: 1 })
      expect(await harness.backend.deliveries.find(id)).toBeUndefined()
      expect(await keptIds(harness)).toEqual([elsewhere!.id])
    })

    test('finds few events among many others, for many ids', async () => {
      await using harness = await open()
      const count = 12_000
      const isMine = (index: number): boolean => index % 1000 === 7 || index > count - 1_500
      await receive(
        harness,
        ...Array.from({ length: count }, (_, index) => ({
          anonymousId: isMine(index) ? `mine-${index}` : `other-${index}`,
        })),
      )
      const ids = Array.from({ length: count }, (_, index) => `mine-${index}`)
      const { purged } = await purgeAnonymous(
        harness,
        ids.filter((_, index) => isMine(index)),
      )
      expect(purged.events).toBe(11 + 1_499)
      const { events } = harness.backend
      expect((await events.list({ text: 'mine-' }, { limit: 9 })).data).toEqual([])
    })

    test('does not purge the userId with the same text, or vice versa', async () => {
      await using harness = await open()
      const [ofUser] = await receive(harness, { userId: 'x' })
      const [ofVisitor] = await receive(harness, { ...onlyAnonymous, anonymousId: 'x' })
      await purgeAnonymous(harness, ['x'])
      expect(await keptIds(harness)).toEqual([ofUser!.id])
      expect(harness.backend.deletions.isPurged(ofUser!)).toBe(false)
      expect(harness.backend.deletions.isPurged(ofVisitor!)).toBe(true)
      const [again] = await receive(harness, { ...onlyAnonymous, anonymousId: 'x' })
      await purgeUser(harness, 'x')
      expect(await keptIds(harness)).toEqual([again!.id])
      expect(harness.backend.deletions.isPurged(again!)).toBe(false)
    })

    test('removes events appended before it began, and no later ones', async () => {
      await using harness = await open()
      await receive(harness, { anonymousId: 'a1' })
      const { id } = await purgeAnonymous(harness, ['a1'])
      const [later] = await receive(harness, { anonymousId: 'a1' })
      const purge = { deletionId: id, userIds: [], anonymousIds: ['a1'], sourceIds: null }
      await purgeAll(harness.backend.deletions, purge)
      expect(await keptIds(harness)).toEqual([later!.id])
    })

    test('removes its data from profiles, but not the users of its events', async () => {
      await using harness = await open()
      await receive(harness, { userId: 'u1', anonymousId: 'a1' })
      await follow(harness, [
        { userId: 'u1', traits: { of: 'u1' } },
        { userId: 'u2', links: [anonymous('a1')] },
        { userId: 'u3' },
        { anonymousId: 'a2' },
      ])
      await purgeAnonymous(harness, ['a1', 'a2'])
      const left = ['u1', 'u2', 'u3'].map(
        async (id) => (await profileOf(harness, id)) !== undefined,
      )
      expect(await Promise.all(left)).toEqual([true, true, true])
      expect(await profileOf(harness, 'u2')).toMatchObject({ anonymousIds: [], links: [] })
      expect(await harness.backend.profiles.count('default')).toBe(3)
    })

    test('removes the search texts of finished replays', async () => {
      await using harness = await open()
      const ended = newReplay({ selection: { text: 'ada@example.com' } })
      await harness.backend.replays.create(ended)
      await harness.backend.replays.cancel(ended.id, NOON)
      await purgeAnonymous(harness, ['a1'])
      expect((await harness.backend.replays.find(ended.id))?.selection).not.toHaveProperty('text')
    })
  })
}
