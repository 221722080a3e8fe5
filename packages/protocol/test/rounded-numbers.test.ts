import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  callsWithRoundedNumbers,
  containsNumber,
  isUnsafeInteger,
  isRounded,
  type Json,
  mayRoundToZero,
  roundedNumbers,
} from '../src/index.ts'

const ROUNDED = [
  '9007199254740993',
  '-12345678901234567890',
  '9007199254740993.0',
  '9007199254740993e0',
  '9007199254740993.5',
  '12345678901234567890.0',
  '1.234567890123456789e18',
  '36028797018963969',
  '1e400',
  '1e-400',
  '-1e-400',
  '1E-0324',
  `0.${'0'.repeat(330)}1`,
]
const KEPT = [
  '12345678901234567e3',
  '9007199254740992',
  '9007199254740991',
  '1e18',
  '1e23',
  '1.7976931348623157e308',
  '5e-324',
  '0',
  '-0.0e-400',
  '0.1',
  '0.12345678901234567890',
  '1234567890123456.5',
]

describe('a number in JSON is rounded', () => {
  test.for(ROUNDED)('%s', (source) => {
    expect(isRounded(source)).toBe(true)
    for (const text of [source, `{"x": ${source}}`, `[1,${source} ]`, `{"x":${source}}`]) {
      const { values } = roundedNumbers(text)
      const value = JSON.parse(text) as Json
      expect(containsNumber(value, (each) => values.has(each))).toBe(true)
      expect(containsNumber(value, isUnsafeInteger) || mayRoundToZero(`${text},`)).toBe(true)
    }
  })

  test('according to roundedNumbers, exactly if isRounded is true', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?(e[+-]?\d{1,3})?$/)
    fc.assert(
      fc.property(digits, (source) => {
        const { values } = roundedNumbers(`[${source}]`)
        expect(values.has(Number(source))).toBe(isRounded(source))
      }),
    )
  })
})

test.for(KEPT)('a number in JSON is kept: %s', (source) => {
  expect(isRounded(source)).toBe(false)
  expect(roundedNumbers(`{"x":${source}}`).values.size).toBe(0)
})

test('no number that JavaScript writes is rounded', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(isRounded(String(number))).toBe(false)
    }),
  )
})

test('a UUID is not mistaken for a number that becomes 0', () => {
  expect(mayRoundToZero('{"messageId":"0f8fad5b-d9ce-469f-a165-70867728950e-123","x":0}')).toBe(
    false,
  )
})

describe('callsWithRoundedNumbers finds the calls in a batch', () => {
  const placesIn = (batch: readonly string[], rest = '') => {
    const text = `{${rest}"batch":[${batch.join()}]}`
    const places = callsWithRoundedNumbers(text, { isBatch: true })
    return batch.map((_call, index) => places.has(index))
  }

  test('even if other calls contain the rounded value', () => {
    const calls = ['{"x":9007199254740992}', '{"x":[9007199254740993]}', '{"x":0}', '{"x":1e-400}']
    expect(placesIn(calls)).toEqual([false, true, false, true])
    expect(roundedNumbers(`[${calls.join()}]`).isAmbiguous).toBe(true)
  })

  test('including all of them if the number is in the shared context', () => {
    expect(placesIn(['{}', '{}'], '"context":{"x":9007199254740993},')).toEqual([true, true])
    expect(placesIn(['{}', '{}'], '"other":9007199254740993,')).toEqual([false, false])
  })

  test('unless the number is in a string', () => {
    const texts = ['"a 9007199254740993 b"', '"[9007199254740993,1e-400]"', '9007199254740992', '0']
    expect(placesIn(texts.map((value) => `{"x":${value}}`))).toEqual([false, false, false, false])
  })
})
