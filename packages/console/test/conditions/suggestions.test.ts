import { expect, test } from 'vitest'
import { suggestionsIn } from '../../src/domain/conditions/draft/suggestions.ts'

test('suggests names from recent events, the most frequent first', () => {
  const found = suggestionsIn([
    { type: 'track', event: 'A', properties: { price: 1, item: { sku: 'x', 'utm.source': 'y' } } },
    { type: 'track', event: 'B', context: { page: { path: '/' } } },
    { type: 'track', event: 'B', properties: { price: 2 } },
    { type: 'page', name: 'Home' },
    { type: 'page' },
    { type: 'screen', name: '' },
    { type: 'identify', traits: { plan: 'pro', list: [{ a: 1 }] } },
  ])
  expect(found).toEqual({
    track: ['B', 'A'],
    page: ['Home'],
    screen: [],
    traits: ['plan', 'list'],
    properties: ['price', 'item.sku', String.raw`item.utm\.source`],
    context: ['page.path'],
  })
})

test('does not suggest names that are too long to read', () => {
  expect(suggestionsIn([{ type: 'track', event: 'x'.repeat(32_000) }]).track).toEqual([])
})
