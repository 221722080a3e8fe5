import { describe, expect, test } from 'vitest'
import { paletteEntries } from '../../../src/shell/palette/palette-entries.ts'

const RECORDS = {
  destinations: [
    { id: 'dst_1', name: 'Old events archive' },
    { id: 'dst_2', name: 'CRM' },
    { id: 'dst_3', name: 'CRM for sales' },
  ],
  sources: [{ id: 'src_1', name: 'Events of the shop' }],
  audiences: [{ id: 'aud_1', name: 'Pros' }],
  traits: [{ id: 'trt_1', name: 'Orders of 90 days' }],
  users: [{ id: 'anna-lena', name: 'anna-lena' }],
}

const to = (text: string): string[] => paletteEntries(text, RECORDS).map((entry) => entry.to)

describe('Enter in the palette navigates', () => {
  test.for([
    ['events', '/events'],
    ['Eve', '/events'],
    ['  OVERVIEW ', '/'],
    ['dest', '/destinations'],
    ['crm', '/destinations/dst_2'],
    ['crm for', '/destinations/dst_3'],
    ['pros', '/audiences?audience=aud_1'],
    ['orders of', '/audiences?trait=trt_1'],
    ['shop', '/sources?source=src_1'],
    ['secrets', '/destinations'],
    ['evt_0a', '/events/evt_0a'],
    ['msg_0a', '/events?delivery=msg_0a'],
    ['dst_2', '/destinations/dst_2'],
    ['dst_gone', '/destinations/dst_gone'],
    ['src_0a', '/sources?source=src_0a'],
    ['aud_0a', '/audiences?audience=aud_0a'],
    ['trt_0a', '/audiences?trait=trt_0a'],
    ['del_0a', '/privacy?deletion=del_0a'],
    ['rpl_0a', '/destinations?replay=rpl_0a'],
    ['tok_0a', '/system?tab=tokens'],
    ['ses_0a', '/system?tab=sessions'],
    ['4f1c7a52-order-1', '/users/4f1c7a52-order-1'],
    ['anna@example.com', '/users?search=anna%40example.com'],
    ['ann', '/users/anna-lena'],
    ['bert', '/events?text=bert'],
    ['Order Completed', '/events?text=Order%20Completed'],
    ['evt_/../x?y#', '/events/evt_%2F..%2Fx%3Fy%23'],
  ] as const)('from “%s” to %s', ([text, first]) => {
    expect(to(text)[0]).toBe(first)
  })
})

test('pages are listed before records with the word in their name, and the user after the events', () => {
  expect(to('events')).toEqual([
    '/events',
    '/sources?source=src_1',
    '/destinations/dst_1',
    '/live',
    '/catalog',
    '/sources',
    '/destinations',
    '/events?text=events',
    '/users/events',
    '/events?messageId=events',
  ])
})

test('an id with a known prefix is not searched for elsewhere, and a record is listed once', () => {
  expect(to('dst_2')).toEqual(['/destinations/dst_2'])
  expect(to('rpl_0a')).toEqual(['/destinations?replay=rpl_0a'])
  expect(paletteEntries('dst_2', RECORDS)[0]!.name).toBe('CRM')
})

test('a user is listed once, as a record', () => {
  const entries = paletteEntries('anna-lena', RECORDS)
  expect(entries.filter((entry) => entry.to === '/users/anna-lena')).toEqual([
    { name: 'anna-lena', kind: 'User', to: '/users/anna-lena' },
  ])
})

test('without text, pages come first, and no user is suggested', () => {
  const entries = paletteEntries('', { ...RECORDS, users: [] }).map((entry) => entry.to)
  expect(entries[0]).toBe('/get-started')
  expect(entries.every((each) => !each.includes('/users/'))).toBe(true)
})

test('hundreds of destinations leave room for the searches', () => {
  const destinations = Array.from({ length: 400 }, (_, index) => ({
    id: `dst_${index}`,
    name: `Shop ${index}`,
  }))
  const entries = paletteEntries('shop', { destinations }).map((entry) => entry.to)
  expect(entries).toHaveLength(30)
  expect(entries.at(-2)).toBe('/users/shop')
})

test('text too long to search for is offered only as an id', () => {
  const long = 'x1'.repeat(200)
  expect(to(long)).toEqual([`/users/${long}`, `/events?messageId=${long}`])
})
