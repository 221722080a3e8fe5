import { expect, test } from 'vitest'
import { attemptNames, namedAttempts } from '../../src/domain/trace/attempt-names.ts'

const attempt = (second: number, number: number, more: object = {}) => ({
  id: `${second}`,
  number,
  url: 'https://a.example/',
  startedAt: `2026-11-23T12:00:0${second}.000Z`,
  ...more,
})

const namesOf = (...attempts: Parameters<typeof attemptNames>[0]): string[] =>
  [...attemptNames(attempts)].map(([id, name]) => `${id}: ${name}`)

test('numbers restart with each manual retry or replay, which the name includes', () => {
  const replayId = 'rpl_1'
  expect(
    namesOf(
      attempt(5, 1, { replayId }),
      attempt(1, 1),
      attempt(2, 2),
      attempt(3, 1),
      attempt(4, 1),
      attempt(6, 2, { replayId }),
    ),
  ).toEqual([
    '1: #1',
    '2: #2',
    '3: #1 of manual retry',
    '4: #1 of manual retry 2',
    '5: #1 of replay',
    '6: #2 of replay',
  ])
})

test('attempts to several webhooks are numbered separately', () => {
  const url = 'https://b.example/'
  expect(namesOf(attempt(1, 1), attempt(2, 1, { url }))).toEqual(['1: #1', '2: #1'])
})

test('the first delivery of a declined event belongs to its replay', () => {
  expect(namesOf(attempt(1, 1, { replayId: 'rpl_1' }))).toEqual(['1: #1 of replay'])
})

test('the attempts of an event have the names of their destinations, oldest first', () => {
  const deliveries = [
    { id: 'msg_1', destinationId: 'ERP', attempts: [attempt(1, 1), attempt(3, 2)] },
    { id: 'msg_2', destinationId: 'CRM', attempts: [attempt(2, 1)] },
  ]
  const named = namedAttempts({ deliveries } as never, { destination: (id) => id })
  expect(named.map(({ deliveryId, name }) => [deliveryId, name])).toEqual([
    ['msg_1', 'ERP #1'],
    ['msg_2', 'CRM #1'],
    ['msg_1', 'ERP #2'],
  ])
})
