import { EVENT_TYPES, FILTER_FIELDS } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownBy, withDraft, withText } from '../../src/domain/conditions/draft/definition-draft.ts'
import {
  FILTER_CLAUSES,
  FILTERS,
  kindOf,
  withNames,
} from '../../src/pages/destinations/settings/filter/filter-draft.ts'
import { comparison, conditionOf, text } from '../conditions/any-comparison.ts'

const subject = fc.oneof(
  fc.record({ property: text }),
  fc.record({ trait: text }),
  fc.record({ context: text }),
  fc.record({ field: fc.constantFrom(...FILTER_FIELDS) }),
)
const names = fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 }))
const selection = fc.oneof(
  fc.record({ type: fc.constantFrom(...EVENT_TYPES) }),
  fc.record({ event: names }),
  fc.record({ type: fc.constant('track'), event: names }),
)
const where = fc.record({
  where: fc.array(
    fc.tuple(subject, comparison).map(([compared, how]) => ({ ...compared, ...how })),
    { maxLength: 3 },
  ),
})
const clause = fc.oneof(
  selection,
  where,
  fc.tuple(selection, where).map(([selected, compared]) => ({ ...selected, ...compared })),
)
const anyFilter = conditionOf(clause)

test('the builder shows every filter that the protocol allows, and returns it unchanged', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      const tree = shownBy(FILTERS, filter)
      expect(tree).toBeDefined()
      expect(FILTERS.jsonOf(tree!)).toEqual(filter)
      expect(FILTERS.isComplete(tree!)).toBe(true)
      expect(FILTERS.describe(tree!, () => undefined)).not.toMatch(
        /undefined|\[object|[\p{Cc}\u202e]/u,
      )
    }),
  )
})

test.for([
  '{"type": "page", "event": "A"}',
  '{"type": "track", "extra": 1}',
  '{"where": [{"property": "a", "trait": "b", "op": "exists"}]}',
  '{"where": [{"field": "messageId", "op": "exists"}]}',
  '{"event": [1]}',
  '{}',
])('a filter that the service refuses is kept as JSON: %s', (json) => {
  const written = withText(FILTERS, json)
  expect(written).toMatchObject({ draft: undefined, text: json, json: JSON.parse(json) as object })
})

test('a new filter selects all track events, and a condition without type and comparisons selects all events', () => {
  expect(withDraft(FILTERS, FILTERS.newDraft()).json).toEqual({ or: [{ type: 'track' }] })
  const all = { ...FILTER_CLAUSES.newDraft(), type: null }
  expect(FILTER_CLAUSES.jsonOf(all)).toEqual({ where: [] })
})

test('a condition without event names still selects only track events', () => {
  const named = FILTER_CLAUSES.draftOf({ event: 'Order *' })
  expect(kindOf(named)).toBe('track')
  const cleared = withNames(named, [''])
  expect(kindOf(cleared)).toBe('track')
  expect(FILTER_CLAUSES.jsonOf(cleared)).toEqual({ type: 'track' })
  expect(FILTER_CLAUSES.jsonOf(withNames(named, ['A', 'B']))).toEqual({ event: ['A', 'B'] })
  expect(FILTER_CLAUSES.isComplete(withNames(named, ['A', '']))).toBe(false)
})

test.for([
  [
    { event: ['Order *', 'Refund'], where: [{ property: 'revenue', op: '>=', value: 100 }] },
    '(Order * or Refund) where revenue is at least 100',
  ],
  [
    {
      or: [
        { type: 'identify', where: [{ trait: 'plan', op: 'one_of', value: ['pro', 'team'] }] },
        { not: { where: [{ field: 'userId', op: 'not_exists' }] } },
      ],
    },
    'any identify call where trait plan is one of “pro”, “team” or not (any event where userId has no value)',
  ],
  [
    { type: 'track', where: [{ context: '', op: 'exists' }] },
    'any track event where context … has a value',
  ],
] as const)('%j in words', ([filter, words]) => {
  expect(FILTERS.describe(FILTERS.draftOf(filter), () => undefined)).toBe(words)
})
