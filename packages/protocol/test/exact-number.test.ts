import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isExactNumber } from '../src/index.ts'

describe('isExactNumber is true', () => {
  test.for([
    '0',
    '-0',
    '0e999999999999',
    '42',
    '1.50',
    '0.1',
    '1e3',
    '12.5E+1',
    '100e-2',
    '-1e-7',
    '1e-300',
    '9007199254740991',
    '-9007199254740991.0',
  ])('for %s', (text) => {
    expect(isExactNumber(text)).toBe(true)
  })

  test('for every number that JavaScript writes, except integers from 2^53 on', () => {
    const numbers = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true }))
    fc.assert(
      fc.property(numbers, (number) => {
        const isLarge = Math.abs(number) > Number.MAX_SAFE_INTEGER
        expect(isExactNumber(String(number))).toBe(!isLarge)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('isExactNumber is false', () => {
  test.for([
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740992',
    '9007199254740993',
    '1e16',
    '0.1000000000000000055',
    '5.0000000000000000001',
    '0.12345678901234567890',
  ])('for %s', (text) => {
    expect(isExactNumber(text)).toBe(false)
  })

  test('for every integer from 2^53 on, and for every number with one digit too many', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 10n ** 400n }), (integer) => {
        expect(isExactNumber(String(integer))).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 1, max: 9 }), (whole, digit) => {
        expect(isExactNumber(`${whole}.${'0'.repeat(30)}${digit}`)).toBe(false)
      }),
    )
  })
})
