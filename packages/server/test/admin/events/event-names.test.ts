import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { countNames } from '../../backend/conformance/planted-names.ts'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

const DAY_MS = 24 * 60 * 60 * 1000

interface NamePage {
  readonly data: readonly { readonly type: string | null; readonly name: string | null }[]
  readonly nextCursor: string | null
}

/** A server with event names of two sources, one of them too long. */
async function openFilled(): Promise<AdminServer> {
  const server = await AdminServer.open()
  const sources = [newSource(), newSource({ id: 'src_b' })]
  await server.backend.catalog.putAll({ sources, destinations: [] })
  await countNames(server.backend, [
    acceptedEvent({ event: '__proto__', properties: { ['__proto__']: null }, at: NOON - DAY_MS }),
    acceptedEvent({ event: '__proto__', properties: { total: 1 } }),
    acceptedEvent({ event: 'x'.repeat(201) }),
    acceptedEvent({ type: 'page', sourceId: 'src_b', properties: {} }),
  ])
  return server
}

test('each name has its count, the last seven days, and its properties without values', async () => {
  await using server = await openFilled()
  const times = { firstSeenAt: '2026-01-15T12:00:00.000Z', lastSeenAt: '2026-01-15T12:00:00.000Z' }
  const yesterday = '2026-01-14T12:00:00.000Z'
  const one = { count: 1, days: [0, 0, 0, 0, 0, 0, 1], ...times, hasMoreProperties: false }
  expect(await server.must('GET', '/event-names')).toEqual({
    data: [
      { ...one, sourceId: 'src_a', type: null, name: null, properties: [] },
      {
        sourceId: 'src_a',
        type: 'track',
        name: '__proto__',
        count: 2,
        days: [0, 0, 0, 0, 0, 1, 1],
        firstSeenAt: yesterday,
        lastSeenAt: times.lastSeenAt,
        properties: [
          { name: '__proto__', types: ['null'], lastSeenAt: yesterday },
          { name: 'total', types: ['number'], lastSeenAt: times.lastSeenAt },
        ],
        hasMoreProperties: false,
      },
      { ...one, sourceId: 'src_b', type: 'page', name: null, properties: [] },
    ],
    nextCursor: null,
  })
})

test('names are filtered by source and type, and listed in pages', async () => {
  await using server = await openFilled()
  const list = (query: string) => server.must<NamePage>('GET', `/event-names?${query}`)
  expect(await list('sourceId=src_b')).toMatchObject({ data: [{ type: 'page' }] })
  expect(await list('sourceId=src_c')).toEqual({ data: [], nextCursor: null })
  expect(await list('type=track')).toMatchObject({ data: [{ name: '__proto__' }] })
  const first = await list('limit=2')
  const rest = await list(`limit=2&cursor=${first.nextCursor}`)
  expect([...first.data, ...rest.data].map(({ type }) => type)).toEqual([null, 'track', 'page'])
  expect(rest.nextCursor).toBeNull()
})

test('an unknown type and a cursor of another list are refused', async () => {
  await using server = await openFilled()
  const invalid = await server.call<ProblemDocument>('GET', '/event-names?type=order')
  expect(errorsIn(invalid.body)).toHaveLength(1)
  const cursor = Buffer.from('event-names ["src_a"]').toString('base64url')
  for (const each of ['bm9uZSAx', cursor]) {
    const { body } = await server.call<ProblemDocument>('GET', `/event-names?cursor=${each}`)
    expect(body.code).toBe('invalid_cursor')
  }
})
