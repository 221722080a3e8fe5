import fc from 'fast-check'
import { expect, test } from 'vitest'
import { snapshotOf } from '../../src/calls/snapshot.ts'

test('the size of a snapshot is that of its UTF-8, to the byte', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('é', '完', '😀', '\uD800', '\uDC00', '\u2028', '"'),
      fc.string(),
    ),
  })
  fc.assert(
    fc.property(fc.dictionary(text, text), (message) => {
      const snapshot = snapshotOf(message, Infinity)
      expect(snapshot.bytes).toBe(Buffer.byteLength(snapshot.text))
      expect(snapshot.text).toBe(JSON.stringify(message))
    }),
  )
})

test('what JSON carries is carried unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (message) => {
      expect(snapshotOf(message, Infinity).text).toBe(JSON.stringify(message))
    }),
  )
})
