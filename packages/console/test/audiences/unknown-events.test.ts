import { expect, test } from 'vitest'
import { unknownEvents } from '../../src/pages/audiences/draft/suggestions.ts'

const known = { track: ['Order Completed', 'Product Viewed'] }

test('names that no recent event had are found at any depth, each once, and nothing else', () => {
  const definition = {
    and: [
      { event: 'Ord' },
      { or: [{ not: { event: 'Order Completed' } }, { event: 'Ord', within: { days: 1 } }] },
      { trait: 'plan', op: 'equals', value: { event: 'No name' } },
      { not: { not: { event: 'Gone' } } },
    ],
  }
  expect(unknownEvents(definition, known)).toEqual(['Ord', 'Gone'])
  expect(unknownEvents({ fn: 'count', event: 'Ord' }, known)).toEqual(['Ord'])
  for (const nothing of [undefined, null, 'Ord', { event: '' }, { and: 'Ord' }])
    expect(unknownEvents(nothing, known)).toEqual([])
})

test('nothing is called unknown where only the most frequent names are at hand', () => {
  const track = Array.from({ length: 50 }, (_, index) => `Event ${index}`)
  expect(unknownEvents({ event: 'Rare' }, { track })).toEqual([])
})
