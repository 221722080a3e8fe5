import { describe, expect, test } from 'vitest'
import { type Backend } from '../../../../src/backend/backend.ts'
import { openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { openClusterHarness } from '../open-cluster-harness.ts'

const archive = ({ events }: Backend, given: readonly ReturnType<typeof acceptedEvent>[]) =>
  events.archive(given.map((event) => ({ event, declined: [] })))

describe.skipIf(clusterSkipReason() !== undefined)('the archive of several nodes', () => {
  test('keeps one of the events with a messageId, and counts the others as its duplicates', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    // 12 messageIds, 20 times each.
    const batches = Array.from({ length: 20 }, () =>
      Array.from({ length: 12 }, (_, index) => acceptedEvent({ messageId: `m${index}` })),
    )
    const found = await Promise.all(
      batches.map((batch, index) => archive(nodes[index % 2]!, batch)),
    )
    expect(found.reduce((sum, { size }) => sum + size, 0)).toBe(19 * 12)
    const { data } = await other.events.list({}, { limit: 50 })
    expect(data.map(({ duplicates }) => duplicates)).toEqual(Array.from({ length: 12 }, () => 19))
  })

  test('counts a duplicate once, even if several nodes archive it', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const [first, again] = [acceptedEvent({ messageId: 'm' }), acceptedEvent({ messageId: 'm' })]
    await archive(harness.backend, [first])
    const found = await Promise.all(
      [harness.backend, other, other].map((node) => archive(node, [first, again])),
    )
    expect(found.map((duplicates) => [...duplicates])).toEqual([[again.id], [again.id], [again.id]])
    expect(await other.events.find(first.id)).toMatchObject({ duplicates: 1 })
  })

  test('can be followed on each node without gaps while all nodes archive', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const batches = Array.from({ length: 30 }, (_, index) =>
      Array.from({ length: 1 + (index % 5) }, () => acceptedEvent()),
    )
    const archiving = Promise.all(
      batches.map((batch, index) => archive([harness.backend, other][index % 2]!, batch)),
    )
    const count = batches.flat().length
    const followed = await Promise.all(
      [harness.backend, other].map(async ({ followedLog }) => {
        const ids: string[] = []
        for (let after = 0; ids.length < count;) {
          await followedLog.appendedAfter(after, new AbortController().signal)
          const slice = await followedLog.read({ after, limit: 7 })
          ids.push(...slice.events.map(({ event }) => event.id))
          after = slice.through
        }
        return ids
      }),
    )
    await archiving
    expect(followed[0]).toEqual(followed[1])
    expect(followed[0]!.toSorted()).toEqual(
      batches
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  test('stores ids of any length and with any characters', async () => {
    await using harness = await openClusterHarness()
    const long = 'ü'.repeat(9_000)
    const odd = 'a\u0000b\uf8ff0\u2028'
    const events = [
      acceptedEvent({ messageId: long, userId: long, anonymousId: long, at: NOON }),
      acceptedEvent({ messageId: odd, userId: odd, anonymousId: odd, sourceId: odd, at: NOON + 1 }),
      acceptedEvent({ messageId: `${long}1`, userId: `${long}1`, at: NOON + 2 }),
    ]
    await harness.backend.log.append(events)
    await harness.settle()
    const ids = async (filter: object): Promise<string[]> =>
      (await harness.backend.events.list(filter, { limit: 9 })).data.map(({ id }) => id)
    for (const [text, event] of [
      [long, events[0]!],
      [odd, events[1]!],
    ] as const)
      for (const key of ['messageId', 'userId', 'anonymousId'])
        expect(await ids({ [key]: text })).toEqual([event.id])
    expect(await harness.backend.events.find(events[1]!.id)).toMatchObject({
      sourceId: odd,
      event: { userId: odd, anonymousId: odd, messageId: odd },
    })
  })
})
