import { describe, expect, test } from 'vitest'
import { validateCompute } from '../../../src/audiences/conditions/validate-compute.ts'

const sum = { fn: 'sum', event: 'Order Completed', property: 'revenue' }

describe('a computation is valid', () => {
  test.for<[what: string, compute: unknown]>([
    ['that counts events', { fn: 'count', event: 'Order Completed' }],
    ['with everything', { ...sum, within: { days: 30 }, where: [{ property: 'a', op: 'exists' }] }],
    ['of a page', { fn: 'last', type: 'page', name: 'Pricing', property: 'url' }],
    ['with a fixed window', { ...sum, between: ['2026-01-01', '2026-02-01'] }],
  ])('%s', ([_what, compute]) => {
    expect(validateCompute(compute)).toEqual({ compute })
  })
})

describe('a computation is refused', () => {
  test.for<[what: string, compute: unknown, ...errors: string[]]>([
    ['that is missing', undefined, ' invalid_type'],
    ['that is a list', [], ' invalid_type'],
    ['that is empty', {}, '/fn required', '/event required'],
    ['with an unknown function', { ...sum, fn: 'median' }, '/fn not_allowed'],
    ['with an inherited function', { ...sum, fn: 'toString' }, '/fn not_allowed'],
    ['without a property', { fn: 'avg', event: 'x' }, '/property required'],
    ['with an empty path segment', { ...sum, property: 'a.' }, '/property invalid_format'],
    ['with a property for `count`', { ...sum, fn: 'count' }, '/property not_allowed'],
    ['with `event` and `type`', { ...sum, type: 'page' }, '/type exclusive'],
    ['with a count', { ...sum, count: { op: '>', n: 1 } }, '/count unknown_field'],
    ['with a name alongside an event', { ...sum, name: 'x' }, '/name unknown_field'],
    ['with an invalid window', { ...sum, within: { days: 0 } }, '/within out_of_range'],
    ['with an invalid filter', { ...sum, where: [1] }, '/where/0 invalid_type'],
  ])('%s', ([_what, compute, ...errors]) => {
    const validated = validateCompute(compute)
    const found = 'errors' in validated ? validated.errors : []
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(errors)
  })
})
