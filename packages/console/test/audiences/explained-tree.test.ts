import { expect, test } from 'vitest'
import { explainedParts } from '../../src/pages/audiences/detail/explained-tree.ts'

const part = (pointer: string, kind: 'and' | 'or' | 'not' | 'clause', holds: boolean) => ({
  pointer,
  kind,
  holds,
  changesAt: null,
})

const decisive = (parts: Parameters<typeof explainedParts>[0]): string[] =>
  explainedParts(parts)
    .filter(({ isDecisive }) => isDecisive)
    .map(({ pointer }) => pointer)

test('in an `and` that fails, the failed parts are decisive', () => {
  expect(
    decisive([
      part('', 'and', false),
      part('/and/0', 'clause', true),
      part('/and/1', 'or', false),
      part('/and/1/or/0', 'clause', false),
      part('/and/1/or/1', 'clause', false),
    ]),
  ).toEqual(['', '/and/1', '/and/1/or/0', '/and/1/or/1'])
})

test('in an `or` that holds, the parts that hold are decisive', () => {
  expect(
    decisive([
      part('', 'or', true),
      part('/or/0', 'clause', false),
      part('/or/1', 'not', true),
      part('/or/1/not', 'clause', false),
    ]),
  ).toEqual(['', '/or/1', '/or/1/not'])
})

test('parts of a non-decisive part are not decisive', () => {
  expect(
    decisive([
      part('', 'or', true),
      part('/or/0', 'clause', true),
      part('/or/1', 'and', false),
      part('/or/1/and/0', 'clause', false),
    ]),
  ).toEqual(['', '/or/0'])
})

test('the depth of a part is the number of groups and `not`s around it', () => {
  const parts = [
    part('', 'not', true),
    part('/not', 'and', false),
    part('/not/and/10', 'clause', false),
  ]
  expect(explainedParts(parts).map(({ depth }) => depth)).toEqual([0, 1, 2])
})

test('a single clause is decisive', () => {
  expect(decisive([part('', 'clause', false)])).toEqual([''])
})
