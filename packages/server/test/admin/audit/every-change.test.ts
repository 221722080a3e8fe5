import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import {
  CHANGES,
  type Change,
  COMPUTE,
  CONDITION,
  destinationBody,
  type CreatedRecords,
  uniqueName,
} from './changes.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly targetId: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

/** Operations that take a body, but change nothing. */
const READING = ['previewAudience', 'previewFilter', 'previewTrait']

let server: AdminServer
let operations: readonly {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}[]

beforeAll(async () => {
  const testDeliveries = {
    run: async () => ({ deliveryId: 'msg_a', stored: '{}', formatted: '{}', webhooks: [] }),
  }
  server = await AdminServer.open({ testDeliveries })
  const { paths } = await server.must<{ paths: Record<string, Record<string, Operation>> }>(
    'GET',
    '/openapi.json',
  )
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'get' && method !== 'head')
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
      .filter(({ operation }) => !READING.includes(operation.operationId)),
  )
})
afterAll(() => server[Symbol.asyncDispose]())

async function makeRecords(): Promise<CreatedRecords> {
  const make = async (path: string, body: object): Promise<string> =>
    (await server.must<{ id: string }>('POST', path, { body })).id
  const source = await make('/sources', { name: 'web' })
  const destination = await make('/destinations', destinationBody(source))
  const from = '2026-01-01T00:00:00Z'
  const replay = await make('/replays', { destinationId: destination, from })
  const token = await make('/tokens', { name: 'old', role: 'viewer' })
  const rejected = { destinationId: destination, state: 'rejected', attemptCount: 1 } as const
  const delivery = await recordDelivery(server, rejected)
  const audienceOf = (definition: object): Promise<string> =>
    make('/audiences', { name: uniqueName(), destinationIds: [], ...definition })
  const audience = await audienceOf({ condition: CONDITION })
  const manual = await audienceOf({ manual: true })
  const compute = { destinationIds: [], compute: COMPUTE }
  const trait = await make('/traits', { name: uniqueName(), ...compute })
  return { source, destination, replay, token, delivery: delivery.id, audience, manual, trait }
}

async function newestEntries(): Promise<readonly [Entry, Entry]> {
  return (await server.must<{ data: [Entry, Entry] }>('GET', '/audit?limit=2')).data
}

/** Prepares the change for an operation. A new operation needs a change in CHANGES. */
async function changeOf({ operationId }: Operation): Promise<Change> {
  const make = CHANGES[operationId]
  if (make === undefined) throw new Error(`Add a change for ${operationId} to this test.`)
  return make(await makeRecords(), server)
}

test('each route that changes something leaves one entry with the values before and after', async () => {
  expect(operations.length).toBeGreaterThan(15)
  for (const { method, operation } of operations) {
    const { path, body, targetId, before, after } = await changeOf(operation)
    const [last] = await newestEntries()
    const created = await server.must<{ id?: string } | undefined>(method, path, {
      ...(body && { body }),
    })
    const [entry, previous] = await newestEntries()
    expect([operation.operationId, previous.id]).toEqual([operation.operationId, last.id])
    expect(entry).toMatchObject({
      action: operation.operationId,
      targetId: targetId ?? created?.id ?? null,
      before,
      after,
    })
    expect(JSON.stringify(entry)).not.toContain('planted')
  }
})

test('an unsupported dryRun is refused and changes nothing', async () => {
  let count = 0
  for (const { method, operation } of operations) {
    const { parameters = [], operationId } = operation
    if (parameters.some(({ name, in: at }) => name === 'dryRun' && at === 'query')) continue
    const { path, body } = await changeOf(operation)
    const entries = await newestEntries()
    const catalog = server.backend.catalog.current
    const tokens = server.backend.tokens.current
    for (const query of ['dryRun=true', 'dryrun', 'a=1']) {
      const answer = await server.call<ProblemDocument>(
        method,
        `${path}${path.includes('?') ? '&' : '?'}${query}`,
        {
          ...(body && { body }),
        },
      )
      const [name] = query.split('=')
      expect([operationId, answer.status, answer.body.code]).toEqual([
        operationId,
        400,
        'invalid_query',
      ])
      expect(errorsIn(answer.body)).toEqual([`/${name} unknown_field`])
      expect(answer.body.errors[0]!.hint).toMatch(/./)
    }
    expect(await newestEntries()).toEqual(entries)
    expect(server.backend.catalog.current).toBe(catalog)
    expect([...server.backend.tokens.current.keys()]).toEqual([...tokens.keys()])
    count += 1
  }
  expect(count).toBeGreaterThan(15)
})

test('every route refuses unknown query parameters', async () => {
  const routes = server.routes.filter((route) => !route.startsWith('HEAD '))
  expect(routes.length).toBeGreaterThan(35)
  for (const route of routes) {
    const [method = '', url = ''] = route.split(' ')
    const path = url.replace('/api/v1', '').replaceAll(/:\w+/g, 'none')
    const { status, body } = await server.call<ProblemDocument>(method, `${path}?limitt=1`, {
      ...(method !== 'GET' && { body: {} }),
    })
    expect([route, status >= 400 && status < 423]).toEqual([route, true])
    if (status === 400) expect(errorsIn(body)).toContain('/limitt unknown_field')
    // Errors in the body are reported first.
    else expect([route, body.code]).toEqual([route, 'invalid_body'])
  }
})
