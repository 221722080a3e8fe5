import { describe, expect, test } from 'vitest'
import { type ColumnNeed, fitColumns } from '../../src/output/table.ts'

const ID: ColumnNeed = { natural: 30, min: 30, rank: undefined }
const NAME: ColumnNeed = { natural: 40, min: 12, rank: undefined }
const STATE: ColumnNeed = { natural: 9, min: 9, rank: undefined }
const NEXT: ColumnNeed = { natural: 12, min: 12, rank: 2 }
const LAST: ColumnNeed = { natural: 10, min: 10, rank: 1 }

describe('the widths of columns', () => {
  test.each([
    [Infinity, [30, 40, 9, 12, 10]],
    [109, [30, 40, 9, 12, 10]],
    [100, [30, 31, 9, 12, 10]],
    [81, [30, 12, 9, 12, 10]],
    [80, [30, 25, 9, undefined, 10]],
    [60, [30, 17, 9, undefined, undefined]],
    [55, [30, 12, 9, undefined, undefined]],
    [54, undefined],
  ])('on a screen of %d columns', (available, widths) => {
    expect(fitColumns([ID, NAME, STATE, NEXT, LAST], available)).toEqual(widths)
  })

  test('share the remaining width between columns that are cut', () => {
    const short: ColumnNeed = { natural: 15, min: 12, rank: undefined }
    expect(fitColumns([NAME, short, NAME], 64)).toEqual([23, 15, 22])
  })
})
