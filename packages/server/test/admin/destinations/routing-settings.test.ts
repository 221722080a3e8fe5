import type { WebhooksSettings } from '@hookline/protocol'
import { expect, test } from 'vitest'
import {
  exportWebhooksSettings,
  parseWebhooksSettings,
  presentWebhooksSettings,
} from '../../../src/admin/destinations/settings.ts'

const webhookUrl = 'https://a.example/in'
const filter = { or: [{ event: ['Order *'] }, { not: { type: 'identify' } }] }
const sample = { rate: 0.25, by: 'anonymousId' }

function parsed(input: object, previous?: WebhooksSettings) {
  return parseWebhooksSettings(previous ? input : { webhookUrl, ...input }, previous)
}

function settingsOf(input: object, previous?: WebhooksSettings): WebhooksSettings {
  const result = parsed(input, previous)
  if ('errors' in result) expect.fail(JSON.stringify(result.errors))
  return result.settings
}

test('a change without a filter and a sample keeps them, and null removes them', () => {
  const stored = settingsOf({ filter, sample })
  expect(settingsOf({ successPolicy: 'each' }, stored)).toMatchObject({ filter, sample })
  const removed = settingsOf({ filter: null, sample: null }, stored)
  expect(removed).toEqual(settingsOf({}))
})

test('the API and an export show the filter and the sample', () => {
  const stored = settingsOf({ filter, sample })
  expect(presentWebhooksSettings(stored)).toMatchObject({ filter, sample })
  expect(exportWebhooksSettings(stored, false)).toMatchObject({ filter, sample })
})

test('a sample is by userId by default', () => {
  expect(settingsOf({ sample: { rate: 1 } }).sample).toEqual({ rate: 1, by: 'userId' })
})

const compared = (comparison: object) => ({ filter: { where: [comparison] } })
const clauses = (count: number) => ({ filter: { or: Array(count).fill({ type: 'page' }) } })
const nested = (levels: number): object =>
  levels === 1 ? { type: 'page' } : { not: nested(levels - 1) }

test.each<[string, object, string[]]>([
  ['a list', { filter: [] }, ['/filter invalid_type']],
  ['an empty object', { filter: {} }, ['/filter required']],
  ['an unknown type', { filter: { type: 'order' } }, ['/filter/type not_allowed']],
  ['the type of a deletion notice', { filter: { type: 'delete' } }, ['/filter/type not_allowed']],
  ['an unknown field', { filter: { type: 'page', name: 'Home' } }, ['/filter/name unknown_field']],
  [
    'an event name of a page',
    { filter: { type: 'page', event: 'x' } },
    ['/filter/event exclusive'],
  ],
  ['an empty name', { filter: { event: '' } }, ['/filter/event too_short']],
  ['an empty list of names', { filter: { event: [] } }, ['/filter/event too_few']],
  ['101 names', { filter: { event: Array(101).fill('x') } }, ['/filter/event too_many']],
  ['a number as a name', { filter: { event: ['a', 1] } }, ['/filter/event/1 invalid_type']],
  ['two groups', { filter: { and: [], or: [] } }, ['/filter/or exclusive']],
  ['a group and a clause', { filter: { and: [{}], type: 'page' } }, ['/filter/type exclusive']],
  ['an empty group', { filter: { or: [] } }, ['/filter/or invalid_type']],
  ['51 clauses', clauses(51), ['/filter/or/50 too_many']],
  ['11 levels', { filter: nested(11) }, [`/filter${'/not'.repeat(10)} too_deep`]],
  ['a `where` that is an object', { filter: { where: {} } }, ['/filter/where invalid_type']],
  ['21 comparisons', { filter: { where: Array(21).fill({}) } }, ['/filter/where too_many']],
  ['a comparison of nothing', compared({ op: 'exists' }), ['/filter/where/0 required']],
  [
    'a comparison of two values',
    compared({ trait: 'a', property: 'b', op: 'exists' }),
    ['/filter/where/0/trait exclusive'],
  ],
  [
    'a comparison of an unknown field',
    compared({ field: 'messageId', op: 'exists' }),
    ['/filter/where/0/field not_allowed'],
  ],
  [
    'an unknown operator',
    compared({ property: 'a', op: 'matches', value: 1 }),
    ['/filter/where/0/op not_allowed'],
  ],
  ['a missing value', compared({ property: 'a', op: '>' }), ['/filter/where/0/value required']],
  [
    '101 comparisons',
    { filter: { or: Array(6).fill({ where: Array(17).fill({ context: 'ip', op: 'exists' }) }) } },
    ['/filter too_many'],
  ],
  ['a dropped type', { fields: { drop: ['type'] } }, ['/fields/drop/0 not_allowed']],
  [
    'a path dropped and hashed',
    { fields: { drop: ['a'], hash: [{ path: 'a' }] } },
    ['/fields/hash/0/path not_unique'],
  ],
  ['an empty path', { fields: { keep: ['a..b'] } }, ['/fields/keep/0 invalid_format']],
  ['101 paths', { fields: { keep: Array(101).fill('a') } }, ['/fields/keep too_many']],
  ['a short salt', { fields: { salt: 'salt' } }, ['/fields/salt too_short']],
  ['a hidden salt', { fields: { salt: { set: true } } }, ['/fields/salt hidden_value_unknown']],
  ['an unknown format', { format: 'xml' }, ['/format not_allowed']],
  ['a method without a body', { method: 'GET' }, ['/method not_allowed']],
  ['a method in lower case', { method: 'put' }, ['/method not_allowed']],
  ['a method with a line break', { method: 'PUT\r\nX: y' }, ['/method not_allowed']],
  ['a sample as a number', { sample: 0.1 }, ['/sample invalid_type']],
  ['a rate above 1', { sample: { rate: 10 } }, ['/sample/rate out_of_range']],
  ['a rate that is not a number', { sample: { rate: NaN } }, ['/sample/rate out_of_range']],
  ['a sample by a trait', { sample: { rate: 0.1, by: 'plan' } }, ['/sample/by not_allowed']],
])('refuses %s', (_, input, expected) => {
  const result = parsed(input)
  const errors = 'errors' in result ? result.errors : []
  expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected)
})

test('50 clauses in 10 levels, with 20 comparisons and 100 names, are accepted', () => {
  const where = Array(20).fill({ context: 'ip', op: 'exists' })
  expect(parsed({ filter: { event: Array(100).fill('x'), where } })).not.toHaveProperty('errors')
  expect(parsed(clauses(50))).not.toHaveProperty('errors')
  expect(parsed({ filter: nested(10) })).not.toHaveProperty('errors')
})

test('a change without a transform keeps it, null removes it, and the API and an export show it', () => {
  const stored = settingsOf({ transform: '{ "text": event }' })
  expect(settingsOf({ successPolicy: 'each' }, stored).transform).toBe('{ "text": event }')
  expect(presentWebhooksSettings(stored)).toMatchObject({ transform: '{ "text": event }' })
  expect(exportWebhooksSettings(stored, false)).toMatchObject({ transform: '{ "text": event }' })
  expect(settingsOf({ transform: null }, stored)).not.toHaveProperty('transform')
})

test('a change without a method keeps it, null removes it, and the API and an export show it', () => {
  const stored = settingsOf({ method: 'PUT' })
  expect(settingsOf({ successPolicy: 'each' }, stored).method).toBe('PUT')
  expect(presentWebhooksSettings(stored)).toMatchObject({ method: 'PUT' })
  expect(exportWebhooksSettings(stored, false)).toMatchObject({ method: 'PUT' })
  expect(settingsOf({ method: null }, stored)).not.toHaveProperty('method')
  expect(exportWebhooksSettings(settingsOf({}), false)).toMatchObject({ method: null })
})

test.each([
  ['https://a.example/u/{{userId}}?e={{event}}&t={{type}}', undefined],
  ['https://a.example/%7B%7BuserId%7d%7d?u=%7b%7buserId}}', '/{{userId}}?u={{userId}}'],
  [
    'https://a.example/{{userId}}/{{userId}}/é "{x}"',
    '/{{userId}}/{{userId}}/%C3%A9%20%22%7Bx%7D%22',
  ],
  [
    'https://a.example/%7B%7Bname%7D%7D?json={"a":{"b":1}}',
    '/%7B%7Bname%7D%7D?json={%22a%22:{%22b%22:1}}',
  ],
  ['https://a.example/x/../{{type}}/.', '/{{type}}/'],
  ['https://a.example\\{{us\ner\tId}}', '/{{userId}}'],
])('the URL %s is stored with readable templates, and is then stored unchanged', (input, path) => {
  const url = path === undefined ? input : `https://a.example${path}`
  expect(settingsOf({ webhookUrl: input }).webhooks).toEqual([{ url, headers: {} }])
  expect(settingsOf({ webhookUrl: url }).webhooks).toEqual([{ url, headers: {} }])
})

test.each([
  ['{{type}}://a.example/', 'placeholder_not_allowed'],
  ['https://{{userId}}.example/', 'placeholder_not_allowed'],
  ['https://%7B%7Bevent%7D%7D.example/', 'placeholder_not_allowed'],
  ['https://｛｛event｝｝.example/', 'placeholder_not_allowed'],
  ['https://{\n{event}}.example/', 'placeholder_not_allowed'],
  ['https://\t/{{event}}/', 'placeholder_not_allowed'],
  ['https://a.example:{{type}}/', 'placeholder_not_allowed'],
  ['https://{{userId}}:x@a.example/', 'placeholder_not_allowed'],
  ['{{userId}}', 'placeholder_not_allowed'],
  ['https://a.example/#{{userId}}', 'fragment_in_url'],
  ['https://a.example/{{anonymousId}}', 'unknown_placeholder'],
  ['https://a.example/{{ userId }}', 'unknown_placeholder'],
  ['https://a.example/{{userid}}', 'unknown_placeholder'],
  ['https://a.example/{{{userId}}}', 'unknown_placeholder'],
  ['https://a.example/{{userId', 'unknown_placeholder'],
  ['https://a.example/{{userId}', 'unknown_placeholder'],
  ['https://a.example/?a={\r{b}}', 'unknown_placeholder'],
  ['https://a.example/{{../../type}}', 'unknown_placeholder'],
  ['https://a.example/{{}}', 'unknown_placeholder'],
  ['https://a.example/{{__proto__}}', 'unknown_placeholder'],
  [`https://a.example/${'{{'.repeat(2_000)}`, 'unknown_placeholder'],
  [`https://a.example/${'{{userId}}'.repeat(210)}`, 'too_long'],
])('the webhook URL %s is refused', (url, code) => {
  const result = parsed({ webhookUrl: url })
  if (!('errors' in result)) expect.fail(JSON.stringify(result.settings.webhooks))
  expect(result.errors.map((each) => each.code)).toEqual([code])
  expect(result.errors[0]!.message.length).toBeLessThan(100)
})

test.each<[string, unknown, string]>([
  ['a number', 1, '/transform invalid_type'],
  ['only spaces', '  ', '/transform invalid_type'],
  ['8,193 characters', '1'.repeat(8_193), '/transform too_long'],
  ['a path of 1,002 steps', 'a' + '.a'.repeat(1_001), '/transform too_many'],
  ['an unfinished expression', '{ "text": ', '/transform invalid_expression'],
  ['parentheses without end', '('.repeat(8_000), '/transform invalid_expression'],
])('a transform is refused if it is %s', (_, transform, expected) => {
  const result = parsed({ transform })
  if (!('errors' in result)) expect.fail('It was accepted.')
  expect(result.errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([expected])
})
