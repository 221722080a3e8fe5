import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const NOON = '2026-01-15T12:00:00.000Z'

interface Shown {
  readonly id: string
  readonly state: string
}

/** Advances the clock for the workers until the record is live. */
async function live(server: AdminServer, path: string): Promise<object> {
  const read = () => server.must<Shown>('GET', path)
  await expect
    .poll(async () => {
      server.clock.advance(250)
      return (await read()).state
    })
    .toBe('live')
  return read()
}

test('state, size, syncs, members, values, changes, previews and explanations come from the workers', async () => {
  await using server = await AdminServer.open()
  const make = async (path: string, body: object): Promise<string> =>
    (await server.must<Shown>('POST', path, { body: { destinationIds: [], ...body } })).id
  await server.backend.log.append([
    acceptedEvent({ userId: 'u1', timestamp: NOON }),
    acceptedEvent({ userId: 'u1', timestamp: NOON }),
    acceptedEvent({ userId: 'u2', timestamp: NOON }),
  ])
  const compute = { fn: 'sum', event: 'Order Completed', property: 'revenue' }
  const trait = await make('/traits', { name: 'Revenue', compute })
  const condition = {
    and: [
      {
        event: 'Order Completed',
        count: { op: '>=', n: 2 },
        within: { days: 30 },
      },
      { not: { trait: 'plan', op: 'equals', value: 'free' } },
    ],
  }
  const audience = await make('/audiences', { name: 'Buyers', condition })
  server.runAudiences()

  const shown = await live(server, `/audiences/${audience}`)
  expect(shown).toMatchObject({ size: 1, reason: null, sync: null, progress: null })
  expect(shown).toMatchObject({ lastSync: { reason: 'created', state: 'done' } })
  expect(shown).toMatchObject({ reachesBackTo: NOON })
  expect(await live(server, `/traits/${trait}`)).toMatchObject({ size: 2 })

  const since = expect.stringMatching(/^2026-01-15T12:0/)
  expect(await server.must('GET', `/audiences/${audience}/members`)).toMatchObject({
    data: [{ userId: 'u1', since }],
  })
  expect(await server.must('GET', `/traits/${trait}/values`)).toMatchObject({
    data: [
      { userId: 'u1', value: 79.9, since },
      { userId: 'u2', value: 39.95, since },
    ],
  })
  expect(await server.must('GET', `/audiences/${audience}/syncs`)).toMatchObject({
    data: [{ reason: 'created', state: 'done' }],
  })

  const changesAt = '2026-02-14T12:00:00.000Z'
  expect(await server.must('GET', `/audiences/${audience}/explain?userId=u1`)).toMatchObject({
    userId: 'u1',
    value: true,
    since,
    condition: [
      { pointer: '', kind: 'and', holds: true },
      { pointer: '/and/0', kind: 'clause', holds: true, actual: { count: 2 }, changesAt },
      { pointer: '/and/1', kind: 'not', holds: true },
      { pointer: '/and/1/not', kind: 'clause', holds: false, actual: { value: null } },
    ],
  })
  expect(await server.must('GET', `/traits/${trait}/explain?userId=u1`)).toMatchObject({
    value: 79.9,
    events: 2,
  })
  const unknown = await server.call<ProblemDocument>(
    'GET',
    `/audiences/${audience}/explain?userId=nobody`,
  )
  expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('default')])
  const preview = await server.must('POST', '/audiences/preview', { body: { condition } })
  expect(preview).toMatchObject({ size: 1, isExact: true, sample: [{ userId: 'u1', value: true }] })
  const values = await server.must('POST', '/traits/preview', { body: { compute } })
  expect(values).toMatchObject({ size: 2, sample: [{ userId: 'u1', value: 79.9 }, {}] })
})
