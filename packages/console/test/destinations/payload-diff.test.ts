import fc from 'fast-check'
import { expect, test } from 'vitest'
import { payloadDiff, type MarkedLine } from '../../src/domain/destinations/payload-diff.ts'

const HASH = 'a'.repeat(64)

function diff(stored: object, sent: object) {
  const found = payloadDiff(
    JSON.stringify({ messageId: 'm-1', ...stored }),
    JSON.stringify({ messageId: 'm-1', ...sent }),
  )
  return found?.differences.map(({ path, mark }) => `${mark} ${path}`)
}

test.for([
  [{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }, []],
  [{ a: 1, context: { ip: 'x' } }, { a: 1, context: {} }, ['removed context.ip']],
  [{ context: { ip: 'x', page: {} } }, {}, ['removed context']],
  [{ userId: 'u1' }, { userId: HASH }, ['hashed userId']],
  [{ userId: HASH }, { userId: 'b'.repeat(64) }, ['changed userId']],
  [{ a: 5 }, { a: '5' }, ['changed a']],
  [{ a: null }, {}, ['removed a']],
  [{}, { receivedAt: 'now' }, ['added receivedAt']],
  [{ a: {} }, { a: [] }, ['changed a']],
  [
    { products: [{ price: 1, sku: 'x' }, { price: 2 }] },
    { products: [{ sku: 'x' }, {}] },
    ['removed products.0.price', 'removed products.1.price'],
  ],
  [{ '': { a: 1 }, a: 2 }, { '': {}, a: 2 }, ['removed .a']],
  [{ '': 1 }, {}, ['removed ']],
  [{ 'a.b': 1 }, {}, [String.raw`removed a\.b`]],
  [JSON.parse('{"__proto__": 1}') as object, {}, ['removed __proto__']],
] as const)('%j sent as %j differs in %j', ([stored, sent, expected]) => {
  expect(diff(stored, sent)).toEqual(expected)
})

test('a payload that a format wraps in `data` is compared with the stored one', () => {
  const stored = { messageId: 'm-1', userId: 'u1', context: { ip: 'x' } }
  const { context: _dropped, ...data } = stored
  const found = payloadDiff(JSON.stringify(stored), JSON.stringify({ type: 'track', data }))!
  expect(found.differences).toEqual([
    { path: 'data.context', mark: 'removed' },
    { path: 'type', mark: 'added' },
  ])
  expect(textOf(found.stored)).toBe(JSON.stringify(stored, null, 2))
  expect(found.stored.filter(({ mark }) => mark === 'removed')).toHaveLength(3)
})

test.for([
  ['{"messageId":"m-1"}', '{"text":"Order Completed by u1"}'],
  ['{"messageId":"m-1"}', '"text"'],
  ['{"messageId":"m-1"}', ''],
  ['{}', '{}'],
  ['{"messageId":"m-1"}', `{"messageId":"m-1","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
] as const)('the payload %s and a body that is not comparable have no diff', ([stored, sent]) => {
  expect(payloadDiff(stored, sent)).toBeUndefined()
})

test('each side marks its own fields, and a marked value with several lines begins once', () => {
  const stored = { messageId: 'm-1', context: { ip: 'x', page: { path: '/' } }, userId: 'u1' }
  const sent = { messageId: 'm-1', context: { ip: 'x' }, userId: HASH, receivedAt: 'now' }
  const found = payloadDiff(JSON.stringify(stored), JSON.stringify(sent))!
  const marked = (lines: readonly MarkedLine[]) =>
    lines.flatMap(({ text, mark, isFirst }) =>
      mark === undefined ? [] : [`${isFirst === true ? mark : ''}|${text}`],
    )
  expect(marked(found.stored)).toEqual([
    'removed|    "page": {',
    '|      "path": "/"',
    '|    }',
    'hashed|  "userId": "u1"',
  ])
  expect(marked(found.sent)).toEqual([
    `hashed|  "userId": "${HASH}",`,
    'added|  "receivedAt": "now"',
  ])
})

test.for([
  [{ '': { a: 1 }, a: 2 }, { '': {}, a: 2 }, ['    "a": 1']],
  [{ '': 1, a: 2 }, { a: 2 }, ['  "": 1,']],
])('only the removed field of %j is marked', ([stored, sent, expected]) => {
  const withId = (json: object) => JSON.stringify({ ...json, messageId: 'm-1' })
  const found = payloadDiff(withId(stored as object), withId(sent as object))!
  const marked = found.stored.filter(({ mark }) => mark !== undefined)
  expect(marked.map(({ text }) => text)).toEqual(expected)
})

test('the lines in any payload are its indented JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (fields, other) => {
      const stored = JSON.stringify({ ...fields, messageId: 'm-1', other: 1 })
      const sent = JSON.stringify({ messageId: 'm-1', ...fields, other, data: fields })
      const found = payloadDiff(stored, sent)
      if (found === undefined) return
      expect(textOf(found.stored)).toBe(JSON.stringify(JSON.parse(stored), null, 2))
      expect(textOf(found.sent)).toBe(JSON.stringify(JSON.parse(sent), null, 2))
    }),
  )
})

function textOf(lines: readonly MarkedLine[]): string {
  return lines.map(({ text }) => text).join('\n')
}
