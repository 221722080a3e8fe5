import type { AcceptedEvent } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

const many = (count: number): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent())

/** The number of events in each entry, for the first `count` events. */
async function entrySizes({ log }: OpenLog, count: number): Promise<number[]> {
  const sizes: number[] = []
  for await (const entries of log.consume({ signal: new AbortController().signal })) {
    sizes.push(...entries.map(({ events }) => events.length))
    if (sizes.reduce((sum, size) => sum + size, 0) >= count) break
  }
  return sizes
}

test('appends waiting for the same commit form one block', async () => {
  await using open = new OpenLog()
  const sizes = entrySizes(open, 30)
  const events = many(30)
  await Promise.all(events.map((event) => open.log.append([event])))
  expect(await sizes).toEqual([30])
  expect(open.stored).toEqual(events.map(({ id }) => id))
})

test('an append after another operation takes effect after it', async () => {
  await using open = new OpenLog()
  const [before, other, after] = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
  const appends = [open.log.append([before])]
  appends.push(open.appendWithOtherWrite([other]))
  // `appendWithOtherWrite` reaches the writer a microtask later.
  await Promise.resolve()
  appends.push(open.log.append([after]))
  await Promise.all(appends)
  expect(open.stored).toEqual([before, other, after].map(({ id }) => id))
})

test('a block with at least 512 events accepts no further append', async () => {
  await using open = new OpenLog()
  const sizes = entrySizes(open, 1_100)
  const appends = Array.from({ length: 11 }, () => open.log.append(many(100)))
  await Promise.all(appends)
  expect(await sizes).toEqual([600, 500])
})

test('a block is at most 1 MiB, unless a single append is larger', async () => {
  await using open = new OpenLog()
  const text = 'x'.repeat(400 * 1024)
  const large = (): AcceptedEvent => acceptedEvent({ properties: { text } })
  const sizes = entrySizes(open, 6)
  const three = [large(), large(), large()]
  await Promise.all([[large()], [large()], [large()], three].map((each) => open.log.append(each)))
  expect(await sizes).toEqual([2, 1, 3])
})
