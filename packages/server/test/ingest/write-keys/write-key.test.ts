import { describe, expect, test } from 'vitest'
import { keyFromBody, keyFromHeaders, keyFromQuery } from '../../../src/ingest/write-key.ts'

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

describe('the write key', () => {
  test.each([
    ['Basic user with a colon', { authorization: basic('wk:') }],
    ['Basic user without a colon', { authorization: basic('wk') }],
    ['Basic user with a password', { authorization: basic('wk:secret:more') }],
    ['Basic in any case', { authorization: basic('wk:').replace('Basic', 'bASIC') }],
    ['Bearer', { authorization: 'Bearer wk' }],
    ['X-Write-Key', { 'x-write-key': 'wk' }],
    ['X-Write-Key if Basic has no user', { authorization: basic(':x'), 'x-write-key': 'wk' }],
    ['X-Write-Key with another scheme', { authorization: 'Digest a', 'x-write-key': 'wk' }],
    ['Authorization before X-Write-Key', { authorization: basic('wk:'), 'x-write-key': 'other' }],
  ])('is found in the headers: %s', (_case, headers) => {
    expect(keyFromHeaders(headers)).toBe('wk')
  })

  test.each([{}, { authorization: '' }, { authorization: 'Basic' }, { 'x-write-key': '' }])(
    'is not found in the headers %o',
    (headers) => {
      expect(keyFromHeaders(headers)).toBeUndefined()
    },
  )

  test.each([
    ['of a call', { writeKey: 'wk' }],
    ['of the envelope', { writeKey: 'wk', batch: [{ writeKey: 'other' }] }],
    ['of the first call', { batch: [{ writeKey: 'wk' }, { writeKey: 'other' }] }],
    ['of the first call if the envelope has none', { writeKey: '', batch: [{ writeKey: 'wk' }] }],
  ])('is found in the body %s', (_case, body) => {
    expect(keyFromBody(body)).toBe('wk')
  })

  test.each([[null], ['wk'], [[]], [{ batch: [] }], [{ batch: [null] }], [{ writeKey: 1 }]])(
    'is not found in the body %j',
    (body) => {
      expect(keyFromBody(body)).toBeUndefined()
    },
  )

  test('is the first one in the query', () => {
    expect(keyFromQuery({ writeKey: 'wk' })).toBe('wk')
    expect(keyFromQuery({ writeKey: ['wk', 'other'] })).toBe('wk')
    expect(keyFromQuery({})).toBeUndefined()
  })
})
