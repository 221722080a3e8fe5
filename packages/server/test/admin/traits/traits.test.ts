import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

const COMPUTE = { fn: 'sum', event: 'Order Completed', property: 'revenue', within: { days: 30 } }

let server: AdminServer
beforeAll(async () => {
  server = await AdminServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

const make = (name: string, compute: object = COMPUTE) =>
  server.must<{ id: string }>('POST', '/traits', { body: { name, destinationIds: [], compute } })

test('a computed trait is created, changed and removed', async () => {
  const { id } = await make('Revenue 30d')
  const shown = await server.must<object>('GET', `/traits/${id}`)
  expect(shown).toMatchObject({ key: 'revenue_30d', compute: COMPUTE, state: 'preparing' })
  expect(shown).not.toHaveProperty('condition')
  const compute = { fn: 'count', event: 'Order Completed' }
  const changed = await server.must('PATCH', `/traits/${id}`, { body: { compute } })
  expect(changed).toMatchObject({ compute, version: 2 })
  expect((await server.call('GET', `/audiences/${id}`)).status).toBe(404)
  expect((await server.call('DELETE', `/traits/${id}`)).status).toBe(204)
})

test('errors in `compute` are reported with pointers', async () => {
  const body = { name: 'Wrong', destinationIds: [], compute: { fn: 'summ', event: 'Order' } }
  const answer = await server.call<ProblemDocument>('POST', '/traits', { body })
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, '/compute/fn not_allowed'])
  const missing = await server.call<ProblemDocument>('POST', '/traits', { body: { name: 'x' } })
  expect(errorsIn(missing.body)).toEqual(['/destinationIds required', '/compute required'])
})

test('a computed trait cannot be removed while an audience refers to its key', async () => {
  const { id } = await make('Orders')
  const condition = { computedTrait: 'orders', op: '>', value: 3 }
  const body = { name: 'Buyers', destinationIds: [], condition }
  const audience = await server.must<{ id: string }>('POST', '/audiences', { body })
  const response = await server.call<ProblemDocument>('DELETE', `/traits/${id}`)
  expect([response.status, response.body.detail]).toEqual([
    409,
    expect.stringContaining(audience.id),
  ])
})
