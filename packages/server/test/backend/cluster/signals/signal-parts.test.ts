import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  JoinedParts,
  splitIntoParts,
} from '../../../../src/backend/cluster/signals/sealed-channel.ts'

test('messages are joined from interleaved parts in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 24 }), { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (texts, order) => {
        const parts = texts.flatMap((text) => splitIntoParts(text, 3)!)
        const shuffled = parts
          .map((part) => ({ part, key: order.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
        const joined = new JoinedParts()
        const whole = shuffled.flatMap(({ part }) => joined.add(part) ?? [])
        expect(whole.toSorted()).toEqual(texts.toSorted())
      },
    ),
  )
})

test('a message of more than 24 parts is refused by both sides', () => {
  expect(splitIntoParts('x'.repeat(72), 3)).toHaveLength(24)
  expect(splitIntoParts('x'.repeat(73), 3)).toBeUndefined()
  const joined = new JoinedParts()
  for (const head of ['a 0 25', 'a 0 nonsense', ''])
    expect(joined.add(`${head}\npart`)).toBeUndefined()
})

test('at most 16 incomplete messages are kept', () => {
  const joined = new JoinedParts()
  const texts = Array.from({ length: 17 }, (_, index) => splitIntoParts(`text ${index}`, 4)!)
  for (const [first] of texts) expect(joined.add(first!)).toBeUndefined()
  const whole = texts.toReversed().map(([, last]) => joined.add(last!))
  const kept = Array.from({ length: 16 }, (_, index) => `text ${16 - index}`)
  expect(whole).toEqual([...kept, undefined])
})
