import { describe, expect, test } from 'vitest'
import {
  comparisonOf,
  valueOf,
  withOperator,
} from '../../src/pages/audiences/draft/comparison-draft.ts'
import {
  clauseDraftOf,
  conditionOf,
  copyOf,
  type Group,
  innerPointer,
  isConditionComplete,
  newClausePart,
  newGroup,
  treeOf,
  withPart,
} from '../../src/pages/audiences/draft/condition-tree.ts'

const A = { trait: 'a', op: 'exists' }
const B = { trait: 'b', op: 'exists' }
const tree = treeOf({ and: [A, { or: [B] }] }) as Group
const [first, second] = tree.parts as [Group['parts'][number], Group]

describe('a part of a condition', () => {
  test('can be removed', () => {
    expect(conditionOf(withPart(tree, first.id, () => []))).toEqual({ and: [{ or: [B] }] })
  })

  test('can be duplicated, with new ids', () => {
    const copied = withPart(tree, second.id, (part) => [part, copyOf(part)]) as Group
    expect(conditionOf(copied)).toEqual({ and: [A, { or: [B] }, { or: [B] }] })
    expect(new Set(copied.parts.map(({ id }) => id)).size).toBe(3)
  })

  test('can be moved into a group', () => {
    const grouped = withPart(tree, first.id, (part) => [newGroup('or', [part])])
    expect(conditionOf(grouped)).toEqual({ and: [{ or: [A] }, { or: [B] }] })
  })

  test('that is the root becomes a group together with an added part', () => {
    const whole = treeOf(A)
    expect(conditionOf(withPart(whole, whole.id, (part) => [part, copyOf(part)]))).toEqual({
      and: [A, A],
    })
    expect(conditionOf(withPart(whole, whole.id, () => []))).toEqual({ and: [] })
  })

  test('in two nots has the pointer of the inner part', () => {
    expect(innerPointer(treeOf({ not: { not: A } }), '/condition')).toBe('/condition/not/not')
  })
})

test('a condition with an incomplete clause or an empty group is incomplete', () => {
  expect(isConditionComplete(newClausePart())).toBe(false)
  expect(isConditionComplete(newGroup('and', []))).toBe(false)
  expect(isConditionComplete(newGroup('and', [treeOf(A), newGroup('or', [])]))).toBe(false)
  expect(isConditionComplete(tree)).toBe(true)
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
  const clause = clauseDraftOf(json)
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
