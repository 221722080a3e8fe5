import { expect, test } from 'vitest'
import { filtersIn, describeFilters, queryOf } from '../../src/pages/events/event-filters.ts'

const NOW = Date.parse('2026-11-23T12:00:00.000Z')

test('only known filters with a value are read from a URL', () => {
  expect(filtersIn({ type: 'track', text: '', tab: 'event' })).toEqual({ type: 'track' })
})

test('a preset counts back from now, and a custom range is kept as chosen', () => {
  expect(queryOf({ range: '15m' }, NOW)).toEqual({ $from: '2026-11-23T11:45:00.000Z' })
  expect(queryOf({ range: '7d' }, NOW)).toEqual({ $from: '2026-11-16T12:00:00.000Z' })
  expect(queryOf({ range: 'custom', from: 'a', to: 'b' }, NOW)).toEqual({ $from: 'a', to: 'b' })
  expect(queryOf({ range: 'unknown', from: 'a' }, NOW)).toEqual({})
})

test('filters use API names, and an unknown type is omitted', () => {
  const ids = { event: 'e', userId: 'u', anonymousId: 'a', messageId: 'm', text: 't' }
  expect(queryOf({ source: 's', type: 'track', ...ids }, NOW)).toEqual({
    sourceId: 's',
    $type: 'track',
    ...ids,
  })
  expect(queryOf({ type: 'delete' }, NOW)).toEqual({})
})

test('filters are described in words', () => {
  const filters = { source: 'src_1', userId: 'u1', text: 'abc', range: '1h' }
  expect(describeFilters(filters, (id) => `Shop ${id}`)).toEqual([
    'source is Shop src_1',
    'userId is u1',
    'contains “abc”',
    'last hour',
  ])
  expect(describeFilters({ range: 'custom', from: 'x', to: 'y' }, String)).toEqual([
    'from x',
    'to y',
  ])
})
