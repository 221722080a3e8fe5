import { expect, test } from 'vitest'
import { periodOf } from '../../src/domain/periods.ts'
import { confirmationText } from '../../src/format/confirmation-text.ts'
import {
  bodyOf,
  changeOf,
  fieldsOf,
  jsonError,
  rateLimitError,
} from '../../src/pages/sources/source-fields.ts'
import { lastUseOf } from '../../src/domain/last-use.ts'
import { matchingSources } from '../../src/pages/sources/source-facts.ts'
import { refusalsIn } from '../../src/pages/sources/rejected-calls.tsx'

const POINTS = [
  { rejected: { rate_limited: 2 } },
  { rejected: {} },
  {
    rejected: { unknown_write_key: 5, rate_limited: 1, of_the_future: 1 },
  },
]

test('rejected calls are counted by reason, the most frequent first, with the remedy', () => {
  expect(refusalsIn(POINTS)).toMatchObject([
    { code: 'unknown_write_key', count: 5, remedy: expect.stringContaining('write key') },
    { code: 'rate_limited', count: 3, meaning: expect.stringContaining('rate limit') },
    { code: 'of_the_future', count: 1, remedy: expect.any(String) },
  ])
})

test('an unknown period becomes the default', () => {
  expect(['7d', '__proto__', 'toString', undefined].map(periodOf)).toEqual(['7d', '1h', '1h', '1h'])
})

test('a change contains only the fields that differ', () => {
  const before = { name: 'Shop', rateLimit: 10, space: 'default' }
  const fields = fieldsOf(before)
  expect(changeOf(before, fields)).toEqual({})
  expect(changeOf(before, { ...fields, rateLimit: ' ' })).toEqual({ rateLimit: null })
  expect(changeOf(before, { ...fields, name: 'Web', rateLimit: '10 ' })).toEqual({ name: 'Web' })
  expect(bodyOf({ name: 'x', rateLimit: '5', space: ' a ', fields: ' ' })).toEqual({
    name: 'x',
    rateLimit: 5,
    space: 'a',
    fields: null,
  })
})

test('the fields to drop are entered as JSON, and an unchanged text is not a change', () => {
  const rules = { drop: ['context.ip'], salt: { set: true } }
  const before = { name: 'Shop', rateLimit: null, space: 'default', fields: rules }
  const fields = fieldsOf(before)
  expect(changeOf(before, fields)).toEqual({})
  expect(changeOf(before, { ...fields, fields: '' })).toEqual({ fields: null })
  const reordered = JSON.stringify({ salt: rules.salt, drop: rules.drop })
  expect(changeOf(before, { ...fields, fields: reordered })).toEqual({})
  const edited = JSON.stringify({ ...rules, drop: ['context'] })
  expect(changeOf(before, { ...fields, fields: edited })).toEqual({
    fields: { ...rules, drop: ['context'] },
  })
  expect(['', '{}', edited].map((text) => jsonError({ ...fields, fields: text }))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  for (const wrong of ['{', '[]', '"x"', 'null'])
    expect(jsonError({ ...fields, fields: wrong })).toBe('Enter a JSON object.')
})

test('a rate limit that is not a positive integer is rejected, not treated as no limit', () => {
  const errorOf = (rateLimit: string) =>
    rateLimitError({ name: '', space: '', fields: '', rateLimit })
  expect(['', '1', ' 200 '].map(errorOf)).toEqual([undefined, undefined, undefined])
  for (const wrong of ['abc', '0', '-1', '1.5', '1e9', '1'.repeat(20)])
    expect([wrong, errorOf(wrong)]).toEqual([wrong, expect.any(String)])
})

test('the last use of a source is the last use of any of its keys', () => {
  const key = (lastUsedAt: string | null) => ({ key: 'wk', createdAt: '', lastUsedAt })
  expect(lastUseOf({ writeKeys: [] })).toBeUndefined()
  expect(lastUseOf({ writeKeys: [key(null)] })).toBeUndefined()
  expect(lastUseOf({ writeKeys: [key('2026-02-01'), key(null), key('2026-03-01')] })).toBe(
    '2026-03-01',
  )
})

test('a name that cannot be typed as it is shown is replaced by the id', () => {
  expect(confirmationText('My shop', 'src_1')).toBe('My shop')
  for (const name of ['\u202eshop', 'a\u0000b', ' shop', 'a  b', 'x'.repeat(61)])
    expect(confirmationText(name, 'src_1')).toBe('src_1')
})

test('a filter matches words of a name, and parts of an id or a write key', () => {
  const key = { key: 'wk_11', createdAt: '', lastUsedAt: null }
  const shop = { id: 'src_1', name: 'Shop, web', writeKeys: [] }
  const backend = { id: 'src_11', name: 'Backend', writeKeys: [key] }
  const found = (text: string) => matchingSources([shop, backend], text).map(({ name }) => name)
  expect(found('')).toEqual(['Shop, web', 'Backend'])
  expect(found('WEB sh')).toEqual(['Shop, web'])
  expect(found(' wk_11 ')).toEqual(['Backend'])
  expect(found('src_1')).toEqual(['Shop, web', 'Backend'])
  expect(found('web 11')).toEqual([])
})
