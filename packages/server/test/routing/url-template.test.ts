import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { LIMITS } from '@hookline/protocol'
import { canBeFilledTo, filledUrl } from '../../src/routing/url-template.ts'

const ORIGIN = 'https://a.example'

function filled(path: string, payload: Parameters<typeof filledUrl>[1]): string {
  const result = filledUrl(ORIGIN + path, payload)
  if ('error' in result) expect.fail(result.error)
  return result.url.slice(ORIGIN.length)
}

describe('a URL', () => {
  it('contains the encoded values from the payload', () => {
    const payload = { userId: 'a/b?c#d&e=f %41+"\'(é)', event: 'Order Completed', type: 'track' }
    expect(filled('/{{type}}/{{userId}}/{{userId}}?e={{event}}', payload)).toBe(
      '/track/ENCODED/ENCODED?e=Order%20Completed'.replaceAll(
        'ENCODED',
        'a%2Fb%3Fc%23d%26e%3Df%20%2541%2B%22%27%28%C3%A9%29',
      ),
    )
  })

  it('leaves out a value that is missing or not a string', () => {
    expect(filled('/u/{{userId}}?e={{event}}', { userId: null, event: ['x'] })).toBe('/u/?e=')
  })

  it('fills in string properties', () => {
    const properties = { key: 'a b/c', 'order-id': 'o1', total: 5, nested: { key: 'x' } }
    const path =
      '/{{properties.key}}/{{properties.order-id}}?a={{properties.total}}{{properties.no}}'
    expect(filled(path, { properties })).toBe('/a%20b%2Fc/o1?a=')
    expect(filled('/{{properties.key}}', { properties: 'text' })).toBe('/')
    expect(filled('/{{properties.constructor}}', { properties })).toBe('/')
    const nested = '/{{properties.nested.key}}'
    expect(filled(nested, { properties })).toBe(nested)
  })

  it('fills in the userId of an alias call', () => {
    expect(filled('/{{userId}}', { type: 'alias', 'User ID': 'u2', 'Previous ID': 'u1' })).toBe(
      '/u2',
    )
  })

  it('expands no template in a value or in the host of the URL', () => {
    expect(filled('/{{userId}}', { userId: '{{event}}', event: 'x' })).toBe('/%7B%7Bevent%7D%7D')
    const host = 'https://{{event}}/{{event}}'
    expect(filledUrl(host, { event: 'b.example' })).toEqual({ url: 'https://{{event}}/b.example' })
  })

  it('keeps braces that are not templates', () => {
    expect(filled('/%7B%7BuserId%7D%7D?a={{b}}', { userId: 'u1' })).toBe(
      '/%7B%7BuserId%7D%7D?a={{b}}',
    )
  })
})

test('each filled URL is recognised as filled from its template', () => {
  const texts = ['{{userId}}', '{{event}}', '{{properties.key}}', '/a', 'a', '?b=']
  const parts = fc.array(fc.constantFrom(...texts), { maxLength: 6 })
  fc.assert(
    fc.property(parts, fc.string(), fc.string(), (rest, userId, event) => {
      const template = `${ORIGIN}/x${rest.join('')}`
      const result = filledUrl(template, { userId, event, properties: { key: event } })
      if ('url' in result) expect(canBeFilledTo(template, result.url)).toBe(true)
    }),
  )
})

test.for([
  ['/a', '/b'],
  ['/{{userId}}', 'b/'],
  ['/{{userId}}/a', '/a'],
  ['/a{{userId}}a', '/a'],
  ['/{{userId}}/b{{event}}', '/u/c'],
])('%s cannot be filled to %s', ([template, url]) => {
  expect(canBeFilledTo(template!, url!)).toBe(false)
})

test.for([
  ['/u/{{userId}}/x', '..'],
  ['/u/{{userId}}', '.'],
  ['/u/{{userId}}?a', '..'],
  ['/u/.{{userId}}', '.'],
  ['/u/.{{userId}}./x', ''],
  ['/u/%2E{{userId}}', '.'],
  ['/u/{{userId}}', '../admin'],
  ['/u/{{userId}}', 'a/../../admin'],
  ['/u/{{userId}}', String.raw`a\..\admin`],
  ['/u/{{userId}}', '/..'],
  ['/u/{{userId}}{{event}}', '.'],
] as const)('%s is not filled in with %j, which would leave the path', ([path, userId]) => {
  expect(filledUrl(ORIGIN + path, { userId, event: userId })).toEqual({
    error: expect.stringMatching(/segment/),
  })
})

test.for([
  ['/u/{{userId}}', '...', '/u/...'],
  ['/u/{{userId}}', 'a..b', '/u/a..b'],
  ['/u/a{{userId}}', '..', '/u/a..'],
  ['/u/{{userId}}', '%2e%2e', '/u/%252e%252e'],
  ['/?u={{userId}}', '../..', '/?u=..%2F..'],
  ['/{{userId}}', 'a\r\nHost: b', '/a%0D%0AHost%3A%20b'],
  ['/{{userId}}', 'a\0\u2028b', '/a%00%E2%80%A8b'],
  ['/{{userId}}', 'a\ud800', '/a%EF%BF%BD'],
  ['/{{userId}}', '👩‍💻', '/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB'],
] as const)('%s with %j is %s', ([path, userId, expected]) => {
  expect(filled(path, { userId })).toBe(expected)
})

test('a URL that is too long is not sent, and its error does not contain the value', () => {
  const room = LIMITS.filledUrlCharacters - ORIGIN.length - 1
  expect(filled('/{{userId}}', { userId: 'a'.repeat(room) })).toHaveLength(room + 1)
  const { error } = filledUrl(`${ORIGIN}/{{userId}}`, { userId: 'a'.repeat(room + 1) }) as {
    error: string
  }
  expect(error).toContain('8192')
  expect(error).not.toContain('aa')
  expect(filledUrl(ORIGIN + '/{{userId}}'.repeat(180), { userId: '一'.repeat(30_000) })).toEqual({
    error,
  })
})

test('any values leave origin, path segments and query parameters as they are', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom(
        '.',
        '/',
        '\\',
        '%',
        '2',
        'e',
        'E',
        '?',
        '#',
        '{',
        '}',
        '\n',
        '\ud800',
        '@',
        ':',
      ),
    }),
  )
  const path = fc.constantFrom(
    '/u/{{userId}}/x?a={{event}}&b',
    '/{{userId}}?a&{{event}}=b',
    '/a/.{{userId}}{{event}}/',
    '/{{type}}/{{userId}}',
  )
  fc.assert(
    fc.property(path, value, value, value, (template, userId, event, type) => {
      const result = filledUrl(ORIGIN + template, { userId, event, type })
      if ('error' in result) return
      const url = new URL(result.url)
      expect(url.href).toBe(result.url)
      expect(result.url).toMatch(/^[\x21-\x7e]+$/)
      expect(url.origin + url.hash).toBe(ORIGIN)
      const configured = new URL(ORIGIN + template)
      expect(url.pathname.split('/')).toHaveLength(configured.pathname.split('/').length)
      expect([...url.searchParams]).toHaveLength([...configured.searchParams].length)
      // A proxy may decode the path once before it resolves dots.
      const decoded = decodeURIComponent(url.pathname).replaceAll('\\', '/')
      expect(decoded.split('/').filter((each) => each === '.' || each === '..')).toEqual([])
    }),
    { numRuns: 3_000 },
  )
})
