import { expect, test } from 'vitest'
import type { Delivery } from '@hookline/cli/management-client'
import { queryOf } from '../../src/pages/destinations/deliveries/delivery-filters.ts'
import { waitGroups } from '../../src/pages/destinations/overview/wait-groups.ts'

const now = Date.parse('2026-11-23T12:00:00.000Z')

test('filters become the query of the service', () => {
  const filters = { state: 'rejected', class: 'http_4xx', status: '404', range: '1h' }
  expect(queryOf(filters, now)).toEqual({
    state: 'rejected',
    $class: 'http_4xx',
    status: 404,
    $from: '2026-11-23T11:00:00.000Z',
  })
  expect(queryOf({ state: 'declined' }, now)).toEqual({ state: 'declined' })
  expect(queryOf({ state: 'waiting' }, now)).toEqual({ waiting: 'true' })
})

test('values that the service would reject are omitted from the query', () => {
  const filters = { state: '<b>', class: 'toString', status: '999', range: 'never' }
  expect(queryOf(filters, now)).toEqual({})
})

test('deliveries waiting for the same reason at the same webhook are grouped, with the earliest time', () => {
  const delivery = (reason: string, nextAttemptAt: string | null): Delivery =>
    ({ webhooks: [{ url: 'https://a.example/', waiting: { reason, nextAttemptAt } }] }) as never
  const groups = waitGroups([
    delivery('retry', '2026-11-23T12:00:09.000Z'),
    delivery('retry', '2026-11-23T12:00:03.000Z'),
    delivery('webhook_paused', null),
    { webhooks: [{ url: 'https://b.example/', waiting: null }] } as never,
  ])
  expect(groups.map(({ key, nextAttemptAt }) => [key, nextAttemptAt])).toEqual([
    ['retry https://a.example/', '2026-11-23T12:00:03.000Z'],
    ['webhook_paused https://a.example/', null],
  ])
})
