import { expect, test } from 'vitest'
import { rowsInOrder } from '../../../../src/backend/embedded/damage/rows-in-order.ts'

const rowidsOf = (rowids: readonly (number | bigint)[]): readonly unknown[] =>
  rowsInOrder(rowids.map((rowid) => ({ rowid, fields: [] }))).map(({ rowid }) => rowid)

test.each<[string, readonly (number | bigint)[], readonly (number | bigint)[]]>([
  ['that ascend stay', [1, 2, 5, 2n ** 60n], [1, 2, 5, 2n ** 60n]],
  ['of which one is too large get the number that fits', [7, 8, 265, 10, 11], [7, 8, 9, 10, 11]],
  ['of which one is too small get the number that fits', [7, 8, 1, 10, 11], [7, 8, 9, 10, 11]],
  ['of which one may have had several numbers lose that one', [7, 8, 1, 12, 13], [7, 8, 12, 13]],
  ['of which the first is too large lose that one', [99, 8, 9], [8, 9]],
  ['of which two neighbours are wrong lose both', [1, 50, 40, 4, 5, 6], [1, 4, 5, 6]],
  ['of an empty page are none', [], []],
])('rowids %s', (_, found, expected) => {
  expect(rowidsOf(found)).toEqual(expected)
})
