import type { Condition } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { inEvaluationOrder, referenceErrors } from '../../../src/audiences/conditions/references.ts'
import { audienceId, byId, newAudience, newTrait } from './new-computation.ts'

const to = (letter: string): Condition => ({ audience: audienceId(letter) })
const over = (letter: string): Condition => ({ computedTrait: letter, op: '>', value: 3 })

const catalog = byId(
  newAudience('a', { condition: { and: [to('b'), over('t')] } }),
  newAudience('b', { condition: { not: { or: [to('m'), to('c')] } } }),
  newAudience('c'),
  newAudience('m', { condition: null }),
  newAudience('e', { space: 'eu' }),
  newTrait('t'),
  newTrait('u', { space: 'eu' }),
)

const errorsOf = (letter: string | null, condition: Condition) =>
  referenceErrors(
    {
      id: letter && audienceId(letter),
      name: letter?.toUpperCase() ?? 'New',
      space: 'default',
      condition,
    },
    catalog,
  )

describe('a reference', () => {
  test.for<[what: string, letter: string | null, condition: Condition, ...errors: string[]]>([
    ['to audiences and a computed trait', null, { and: [to('a'), { or: [to('m'), over('t')] }] }],
    ['of an audience that others refer to', 'c', { and: [to('m'), over('t')] }],
    ['to a missing audience', null, { and: [to('z')] }, '/and/0/audience unknown_audience'],
    ['to a missing computed trait', null, over('z'), '/computedTrait unknown_computed_trait'],
    ['to an audience in another space', null, { not: to('e') }, '/not/audience other_space'],
    ['to a computed trait in another space', null, over('u'), '/computedTrait other_space'],
    [
      'to itself',
      'a',
      { or: [{ trait: 'x', op: 'exists' }, to('a')] },
      '/or/1/audience self_reference',
    ],
    ['that closes a cycle', 'b', { and: [to('c'), to('a')] }, '/and/1/audience cycle'],
    [
      'in a condition with several errors',
      'c',
      { and: [to('a'), to('b'), to('c'), to('z')] },
      '/and/0/audience cycle',
      '/and/1/audience cycle',
      '/and/2/audience self_reference',
      '/and/3/audience unknown_audience',
    ],
  ])('%s is checked', ([_what, letter, condition, ...errors]) => {
    const found = errorsOf(letter, condition)
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(errors)
  })

  test('in a cycle is an error that lists the path', () => {
    expect(errorsOf('c', to('a'))[0]?.message).toBe('Circular reference: C → A → B → C.')
  })

  test('is followed once, even if several paths lead to it', () => {
    const letters = 'abcdefghjkmnpqrstvwxyz'.split('')
    const many = letters.map((letter, index) => {
      const next = letters[index + 1]
      return newAudience(
        letter,
        next === undefined ? {} : { condition: { and: [to(next), to(next)] } },
      )
    })
    const condition = to('a')
    expect(
      referenceErrors(
        { id: audienceId('0'), name: '0', space: 'default', condition },
        byId(...many),
      ),
    ).toEqual([])
  })
})

describe('the order of evaluation', () => {
  test('lists each computation once, after the ones it refers to', () => {
    const order = inEvaluationOrder(catalog).map(({ name }) => name)
    expect(order.toSorted().join('')).toBe(
      [...catalog.values()]
        .map(({ name }) => name)
        .toSorted()
        .join(''),
    )
    for (const [first, second] of ['BA', 'TA', 'MB', 'CB']) {
      expect(order.indexOf(first!)).toBeLessThan(order.indexOf(second!))
    }
  })

  test('is found even if references form a cycle', () => {
    const cycle = byId(
      newAudience('a', { condition: to('b') }),
      newAudience('b', { condition: to('a') }),
    )
    expect(inEvaluationOrder(cycle)).toHaveLength(2)
  })
})
