import { expect, test } from 'vitest'
import {
  type FeedBatch,
  FeedPublisher,
  MOST_BYTES_PER_SECOND,
} from '../../../../src/backend/cluster/signals/feed-publisher.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

function openPublisher() {
  const clock = new ManualClock()
  const sent: FeedBatch[] = []
  const send = (batch: string): void => void sent.push(JSON.parse(batch) as FeedBatch)
  return { clock, sent, publisher: new FeedPublisher({ clock, node: 'a', send }) }
}

test('values wait for others for 10 ms, and are numbered', () => {
  const { clock, sent, publisher } = openPublisher()
  for (let number = 1; number <= 3; number++) publisher.add({ number })
  expect(sent).toEqual([])
  clock.advance(10)
  publisher.add({ number: 4 })
  clock.advance(10)
  expect(sent).toEqual([
    { from: 'a', first: 1, values: [{ number: 1 }, { number: 2 }, { number: 3 }] },
    { from: 'a', first: 4, values: [{ number: 4 }] },
  ])
})

test('a batch has at most 500 values, and is sent when it has them', () => {
  const { sent, publisher } = openPublisher()
  for (let number = 0; number < 1_001; number++) publisher.add({ number })
  expect(sent.map(({ first, values }) => [first, values.length])).toEqual([
    [1, 500],
    [501, 500],
  ])
})

test('what exceeds the bytes of a second, or of a batch, is left out of the batches, but not of the numbers', () => {
  const { clock, sent, publisher } = openPublisher()
  const value = { text: 'x'.repeat(64 * 1024) }
  const fit = Math.floor(MOST_BYTES_PER_SECOND / JSON.stringify(value).length)
  for (let count = 0; count < fit + 7; count++) publisher.add(value)
  publisher.add({ text: 'x'.repeat(1024 * 1024) })
  clock.advance(1_000)
  publisher.add({ last: true })
  publisher.flush()
  const numbers = sent.flatMap(({ first, values }) => values.map((_, index) => first + index))
  expect(numbers).toEqual([...Array.from({ length: fit }, (_, index) => index + 1), fit + 9])
})
