import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serialise } from '../../src/calls/serialise.ts'

test('the size of a message is its exact size in UTF-8', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('é', '完', '😀', '\uD800', '\uDC00', '\u2028', '"'),
      fc.string(),
    ),
  })
  fc.assert(
    fc.property(fc.dictionary(text, text), (message) => {
      const { text: json, bytes } = serialise(message, Infinity)
      expect(bytes).toBe(Buffer.byteLength(json))
      expect(json).toBe(JSON.stringify(message))
    }),
  )
})

test('values that JSON can represent are unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (message) => {
      expect(serialise(message, Infinity).text).toBe(JSON.stringify(message))
    }),
  )
})
