import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import type { OpenBackendHarness } from '../backend-harness.ts'
import { afterPurge, keptIds, receive, request } from './purge-requests.ts'

const HOUR = 60 * 60 * 1000
const USER = { userIds: ['u1'], sourceIds: null }

/** A purge covers events by their position in the log, not by their times. */
export function purgePositionsConformance(open: OpenBackendHarness): void {
  describe('a purge by position', () => {
    test('removes events appended before it began, regardless of their time, and keeps later ones', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const times = [NOON - HOUR, NOON, NOON + HOUR].map((at) => ({ at }))
      await receive(harness, ...times)
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      const later = await receive(harness, ...times)
      const { purged } = await afterPurge(harness, { ...USER, deletionId })
      expect(purged.events).toBe(3)
      expect(await keptIds(harness)).toEqual(later.map(({ id }) => id).toReversed())
    })

    test('with suppress removes events appended before the suppression applied', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const { id: deletionId } = await request(harness, { suppress: true })
      await deletions.advance(deletionId, 'suppress', NOON)
      await receive(harness, { at: NOON + HOUR })
      await deletions.advance(deletionId, 'purge', NOON)
      const [later] = await receive(harness, { at: NOON - HOUR })
      await afterPurge(harness, { ...USER, deletionId })
      expect(await keptIds(harness)).toEqual([later!.id])
    })

    test('covers the same positions after a restart, even if it had removed the newest events', async () => {
      await using harness = await open()
      await receive(harness, { userId: 'u2' }, {}, {}, {})
      const { id: deletionId } = await request(harness)
      const { purged } = await afterPurge(harness, { ...USER, deletionId })
      expect(purged.events).toBe(3)
      await harness.reopen()
      const [later] = await receive(harness, {})
      expect((await afterPurge(harness, { ...USER, deletionId })).purged).toEqual(purged)
      expect(await keptIds(harness)).toContain(later!.id)
      expect(harness.backend.deletions.isPurged(later!)).toBe(false)
    })

    test("removes the user's computed events until the profile is gone, but no other later calls", async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const origin = { computationId: 'aud_a', destinationIds: ['dst_a'] }
      await receive(harness, {})
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      const [call] = await receive(harness, {})
      const [computed] = await receive(harness, { sourceId: 'aud_a', origin })
      const { purged } = await afterPurge(harness, { ...USER, deletionId, sourceIds: ['src_a'] })
      expect(purged.events).toBe(2)
      expect(await keptIds(harness)).toEqual([call!.id])
      expect([deletions.isPurged(computed!), deletions.isPurged(call!)]).toEqual([true, false])
      const [later] = await receive(harness, { sourceId: 'aud_a', origin })
      expect(await keptIds(harness)).toContain(later!.id)
    })

    test('rejects if its step has not begun', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      await receive(harness, {})
      const { id: deletionId } = await request(harness)
      await expect(deletions.purge({ ...USER, deletionId })).rejects.toThrow('has not begun')
      expect(await keptIds(harness)).toHaveLength(1)
    })

    test('does not touch other sources', async () => {
      await using harness = await open()
      const [, elsewhere] = await receive(harness, {}, { sourceId: 'src_b' })
      const { id: deletionId } = await request(harness)
      await afterPurge(harness, { ...USER, deletionId, sourceIds: ['src_a'] })
      expect(await keptIds(harness)).toEqual([elsewhere!.id])
    })

    test('applies to events in memory as soon as it is called', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const alias = { type: 'alias', userId: 'u2', previousId: 'u1' } as const
      const covered = await receive(harness, {}, { at: NOON + HOUR }, alias)
      const others = await receive(harness, { userId: 'u2' }, { sourceId: 'src_b' })
      const { id: deletionId } = await request(harness)
      await deletions.advance(deletionId, 'purge', NOON)
      others.push(...(await receive(harness, {}, { at: NOON - HOUR }, alias)))
      const isPurged = (events: typeof covered) => events.map((each) => deletions.isPurged(each))
      expect(isPurged(covered)).toEqual([false, false, false])
      const purging = deletions.purge({ ...USER, deletionId, sourceIds: ['src_a'] })
      expect(isPurged(covered)).toEqual([true, true, true])
      expect(isPurged(others)).toEqual(others.map(() => false))
      await purging
      expect(isPurged(covered)).toEqual([true, true, true])
      expect(isPurged(others)).toEqual(others.map(() => false))
    })

    test('does not cover notices, or hide duplicates', async () => {
      await using harness = await open()
      const { deletions, log, events } = harness.backend
      const { id: deletionId } = await request(harness)
      await purgeAll(deletions, { ...USER, deletionId })
      const { userId, anonymousId, previousId, receivedAt, sourceId } = acceptedEvent()
      const about = { type: 'delete', userId, anonymousId, previousId, receivedAt } as const
      const notice = { ...about, id: deletionId, sourceId, body: Buffer.from('') }
      expect(deletions.isPurged(notice)).toBe(false)
      const [first, again] = [{ messageId: 'm1' }, { messageId: 'm1' }].map(acceptedEvent)
      const stop = new AbortController()
      const entries = log.consume({ signal: stop.signal })[Symbol.asyncIterator]()
      const consumed = entries.next()
      await log.append([first!, again!])
      await consumed
      expect([first!, again!].map((each) => deletions.isPurged(each))).toEqual([false, false])
      const both = [first!, again!].map((event) => ({ event, declined: [] }))
      const archived = await events.archive(both)
      expect([...archived]).toEqual([again!.id])
      stop.abort()
    })

    test('of one source does not extend another purge of the same user', async () => {
      await using harness = await open()
      const { deletions } = harness.backend
      const [first, second] = [await request(harness), await request(harness)]
      const before = await receive(harness, {}, { sourceId: 'src_b' })
      await deletions.advance(first.id, 'purge', NOON)
      const between = await receive(harness, {}, { sourceId: 'src_b' })
      await deletions.advance(second.id, 'purge', NOON)
      await deletions.purge({ ...USER, deletionId: first.id, sourceIds: ['src_a'] })
      await deletions.purge({ ...USER, deletionId: second.id, sourceIds: ['src_b'] })
      const isPurged = (events: typeof before) => events.map((each) => deletions.isPurged(each))
      expect(isPurged(before)).toEqual([true, true])
      expect(isPurged(between)).toEqual([false, true])
    })
  })
}
