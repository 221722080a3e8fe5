import { describe, expect, test } from 'vitest'
import {
  comparisonOf,
  valueOf,
  withOperator,
} from '../../src/domain/conditions/draft/comparison-draft.ts'
import {
  clausePart,
  type Group,
  innerPointer,
  newGroup,
  withPart,
} from '../../src/domain/conditions/draft/condition-tree.ts'
import {
  type ClauseDraft,
  CLAUSES,
  CONDITIONS,
} from '../../src/pages/audiences/draft/clause-draft.ts'

const { draftOf, jsonOf, isComplete } = CONDITIONS
const A = { trait: 'a', op: 'exists' }
const B = { trait: 'b', op: 'exists' }
const tree = draftOf({ and: [A, { or: [B] }] }) as Group<ClauseDraft>
const [first] = tree.parts as [Group<ClauseDraft>['parts'][number]]

describe('a part of a condition', () => {
  test('can be removed', () => {
    expect(jsonOf(withPart(tree, first.id, () => [], 'and'))).toEqual({ and: [{ or: [B] }] })
  })

  test('can be moved into a group', () => {
    const grouped = withPart(tree, first.id, (part) => [newGroup('or', [part])], 'and')
    expect(jsonOf(grouped)).toEqual({ and: [{ or: [A] }, { or: [B] }] })
  })

  test('that is the root becomes a group together with an added part', () => {
    const whole = draftOf(A)
    expect(jsonOf(withPart(whole, whole.id, (part) => [part, draftOf(B)], 'and'))).toEqual({
      and: [A, B],
    })
    expect(jsonOf(withPart(whole, whole.id, () => [], 'and'))).toEqual({ and: [] })
  })

  test('inside two `not`s has the pointer of the inner part', () => {
    expect(innerPointer(draftOf({ not: { not: A } }), '/condition')).toBe('/condition/not/not')
  })
})

test('a condition with an incomplete clause or an empty group is incomplete', () => {
  expect(isComplete(clausePart(CLAUSES.newDraft()))).toBe(false)
  expect(isComplete(newGroup('and', []))).toBe(false)
  expect(isComplete(newGroup('and', [draftOf(A), newGroup('or', [])]))).toBe(false)
  expect(isComplete(tree)).toBe(true)
})

test.for([
  [{ trait: 'a', op: 'equals', value: '5' }, '<', 5],
  [{ trait: 'a', op: 'equals', value: 'x' }, '<', undefined],
  [{ trait: 'a', op: 'equals', value: 'x' }, 'starts_with', 'x'],
  [{ trait: 'a', op: 'equals', value: true }, 'contains', true],
  [{ trait: 'a', op: 'equals', value: true }, 'exists', undefined],
  [{ trait: 'a', op: 'equals', value: '5' }, 'one_of', ['5']],
  [{ trait: 'a', op: 'one_of', value: ['x', 'y'] }, 'equals', 'x'],
  [{ trait: 'a', op: 'exists' }, 'equals', ''],
  [{ trait: 'a', op: '>', value: 3 }, 'within_last_days', 3],
  [{ trait: 'a', op: '>', value: 3 }, 'ends_with', '3'],
] as const)('%j with the operator %s compares with %j', ([json, op, expected]) => {
  const clause = CLAUSES.draftOf(json)
  if (!('comparison' in clause)) throw new Error('not a comparison')
  expect(comparisonOf(withOperator(clause.comparison, op))).toEqual(
    expected === undefined ? { op } : { op, value: expected },
  )
})

test.for([
  ['a\nb', ['a', 'b']],
  ['5\n"5"\ntrue\n', [5, '5', true]],
  ['', undefined],
] as const)('the lines %j are the list %j', ([text, expected]) => {
  expect(valueOf({ form: 'list', text })).toEqual(expected)
})
