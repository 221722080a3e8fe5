import type { AcceptedEvent } from '@hookline/protocol'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventInserter } from '@hookline/testing/files/event-rows'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

const many = (count: number): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent())

/** Consumes and acks `count` events. `isSlow` leaves time for other appends in between. */
async function consumed({ log }: OpenLog, count: number, isSlow = false): Promise<string[]> {
  const ids: string[] = []
  for await (const entries of log.consume({ signal: new AbortController().signal })) {
    if (isSlow) for (let turns = 0; turns < 20; turns++) await turn()
    ids.push(...entries.flatMap(({ events }) => events.map(({ id }) => id)))
    await log.ack(entries)
    if (ids.length >= count) break
  }
  return ids
}

/** Appends batches with both kinds of operations, several per transaction. Resolves to the number of events. */
async function appendInTurn(open: OpenLog, sizes: readonly number[]): Promise<number> {
  const appends: Promise<void>[] = []
  for (const [index, size] of sizes.entries()) {
    const events = many(size)
    appends.push(index % 3 === 0 ? open.appendWithOtherWrite(events) : open.log.append(events))
    if (index % 4 === 3) await turn()
  }
  await Promise.all(appends)
  return sizes.reduce((sum, size) => sum + size, 0)
}

const sizes = (batches: number, max: number): number[] =>
  Array.from({ length: batches }, (_, index) => 1 + ((index * 7) % max))

test.each([
  ['that keeps up', sizes(120, 5), false],
  ['that lags', sizes(80, 300), true],
])('two kinds of appends reach a consumer %s in the order of seq', async (_, batches, isSlow) => {
  await using open = new OpenLog()
  const count = batches.reduce((sum, size) => sum + size, 0)
  const consuming = consumed(open, count, isSlow)
  await appendInTurn(open, batches)
  const ids = await consuming
  expect(ids).toEqual(open.stored)
  expect(ids).toHaveLength(count)
})

test('a consumer that starts later gets all events in the order of seq, from the table and then from memory', async () => {
  await using open = new OpenLog()
  // More than the log holds in memory.
  const before = await appendInTurn(open, sizes(60, 400))
  expect(before).toBeGreaterThan(8192)
  const consuming = consumed(open, before + 300)
  await appendInTurn(open, Array<number>(100).fill(3))
  expect(await consuming).toEqual(open.stored)
})

test('after a failed transaction, its other appends are consumed once, in the order of seq', async () => {
  await using open = new OpenLog()
  const [first] = many(1)
  await open.log.append([first!])
  const consuming = consumed(open, 1 + 3 + 3 + 2 + 2)
  const results = await Promise.allSettled([
    open.appendWithOtherWrite(many(3)),
    open.log.append(many(3)),
    open.log.append([...many(2), first!]),
    open.appendWithOtherWrite(many(2)),
    open.appendWithOtherWrite([first!, ...many(2)]),
    open.log.append(many(2)),
  ])
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(await consuming).toEqual(open.stored)
})

test('an entry read from the table is not repeated, even if it ends with a duplicate', async () => {
  const left = acceptedEvent()
  await using open = new OpenLog((db) => {
    eventInserter(db)(1, left)
  })
  const [event, duplicate, next] = [{ messageId: 'm' }, { messageId: 'm' }, {}].map(acceptedEvent)
  const appended = open.log.append([event!, duplicate!])
  await turn()
  // The commit is on disk, but this thread has not been notified.
  while (open.stored.length < 2);
  const consuming = consumed(open, 3)
  await appended
  await open.log.append([next!])
  expect(await consuming).toEqual([left.id, event!.id, next!.id])
})
