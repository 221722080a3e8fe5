import { expect, test } from 'vitest'
import {
  draftsOf,
  hasRepeatedHeader,
  headerPointer,
  newHeader,
  newWebhook,
  requestedWebhooks,
} from '../../src/pages/destinations/form/webhook-drafts.ts'

const stored = [
  { url: 'https://a.example/', headers: { Authorization: { set: true } }, paused: null },
] as const

test('untouched webhooks are sent as they are stored', () => {
  expect(requestedWebhooks(draftsOf(stored))).toEqual([
    { url: 'https://a.example/', headers: { Authorization: { set: true } } },
  ])
})

test('a new value replaces the stored one', () => {
  const [draft] = draftsOf(stored)
  const headers = [{ ...draft!.headers[0]!, value: 'Bearer 2' }]
  expect(requestedWebhooks([{ ...draft!, headers }])[0]!.headers).toEqual({
    Authorization: 'Bearer 2',
  })
})

test('a stored value does not follow its webhook to another URL', () => {
  const [draft] = draftsOf(stored)
  expect(requestedWebhooks([{ ...draft!, url: 'https://b.example/' }])).toEqual([
    { url: 'https://b.example/', headers: { Authorization: '' } },
  ])
})

test('empty rows are omitted, and values are sent without surrounding spaces', () => {
  const webhook = {
    ...newWebhook(' https://a.example/ '),
    headers: [newHeader(), { ...newHeader(), name: ' X-Key ', value: '1' }],
  }
  expect(requestedWebhooks([webhook])).toEqual([
    { url: 'https://a.example/', headers: { 'X-Key': '1' } },
  ])
})

test('a repeated header is found regardless of case', () => {
  const headers = ['X-Key', 'x-key '].map((name) => ({ ...newHeader(), name }))
  expect(hasRepeatedHeader([{ ...newWebhook(), headers }])).toBe(true)
  expect(hasRepeatedHeader([{ ...newWebhook(), headers: [newHeader(), newHeader()] }])).toBe(false)
})

test('the pointer to a header is escaped', () => {
  expect(headerPointer(1, 'a/b~c')).toBe('/settings/webhooks/1/headers/a~1b~0c')
})

test('limits are sent as numbers, strings and lists, and empty ones are omitted', () => {
  const [draft] = draftsOf([{ ...stored[0], limits: { perSecond: 20, retryOn: [409, 423] } }])
  expect(draft!.limits).toMatchObject({ perSecond: '20', retryOn: '409, 423', timeout: '' })
  const limits = { ...draft!.limits, perSecond: ' ', timeout: ' 20s', retrySchedule: '5s,5m' }
  expect(requestedWebhooks([{ ...draft!, limits }])[0]!.limits).toEqual({
    timeout: '20s',
    retrySchedule: ['5s', '5m'],
    retryOn: [409, 423],
  })
  const wrong = { ...draft!.limits, perSecond: 'many', retryOn: '409,x' }
  expect(requestedWebhooks([{ ...draft!, limits: wrong }])[0]!.limits).toEqual({
    perSecond: 'many',
    retryOn: [409, 'x'],
  })
})
