import { expect, test } from 'vitest'
import { unknownEvents } from '../../src/domain/conditions/draft/suggestions.ts'

const known = { track: ['Order Completed', 'Product Viewed'] }

test('finds event names that no recent event has, at any depth, each once', () => {
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

test('reports no name as unknown if only the most frequent names are available', () => {
  const track = Array.from({ length: 50 }, (_, index) => `Event ${index}`)
  expect(unknownEvents({ event: 'Rare' }, { track })).toEqual([])
})
