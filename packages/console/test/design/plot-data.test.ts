import { expect, test } from 'vitest'
import { plotData } from '../../src/design/figures/plot-data.ts'

const times = [1_000, 2_000, 3_000, 4_000]
const delivered = { label: 'Delivered', color: 'delivered', values: [10, 12, 11, 2] }
const failed = { label: 'Failed', color: 'failed', values: [1, null, 1, 1] }
const none = { label: 'Declined', color: 'declined', values: [0, 0, 0, 0] }

test('the last, incomplete step has its own lines, so that it is not drawn as a drop', () => {
  const series = [delivered, failed]
  expect(plotData({ times, series, form: 'lines' })).toEqual([
    [1, 2, 3, 4],
    [10, 12, 11, null],
    [1, null, 1, null],
    [null, null, 11, 2],
    [null, null, 1, 1],
  ])
})

test('areas are stacked up to the incomplete step, and an empty area does not hide another', () => {
  const series = [delivered, none, failed]
  expect(plotData({ times, series, form: 'areas' })).toEqual([
    [1, 2, 3, 4],
    [10, 12, 11, null],
    [null, null, null, null],
    [11, 12, 12, null],
    [null, null, 11, 2],
    [null, null, null, null],
    [null, null, 12, 3],
  ])
})

test('a plot of a single step has only its incomplete point', () => {
  const series = [{ ...delivered, values: [3] }]
  expect(plotData({ times: [1_000], series, form: 'lines' })).toEqual([[1], [null], [3]])
})
