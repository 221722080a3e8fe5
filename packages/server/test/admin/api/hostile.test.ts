import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'

let server: AdminServer
let sourceId: string
beforeAll(async () => {
  server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

const RUNS = { numRuns: 150 }

const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed()),
  fc.constantFrom('..', '%', "' OR 1=1 --", '\0', '__proto__', 'constructor', 'NaN', '-1', '1e999'),
  fc.stringMatching(/^(src|dst|evt|msg)_[0-9a-z]{0,40}$/),
)

const resources = ['sources', 'destinations', 'events', 'deliveries']

test('no id causes a server error', async () => {
  const route = fc.constantFrom(
    ...resources.map((name) => ['GET', name] as const),
    ...['sources', 'destinations'].flatMap((name) => [
      ['DELETE', name] as const,
      ['PATCH', name] as const,
    ]),
  )
  await fc.assert(
    fc.asyncProperty(route, text, async ([method, name], id) => {
      const path = `/${name}/${encodeURIComponent(id)}x`
      const { status } = await server.call(method, path)
      expect(status).toBe(404)
    }),
    RUNS,
  )
})

test('no cursor or filter causes a server error', async () => {
  const cursor = fc.oneof(
    text,
    fc
      .tuple(fc.constantFrom(...resources), text)
      .map(([name, position]) => Buffer.from(`${name} ${position}`).toString('base64url')),
  )
  const query = fc.record(
    {
      cursor,
      limit: text,
      messageId: text,
      sourceId: text,
      eventId: text,
      destinationId: text,
      state: text,
      type: text,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...resources), query, async (name, fields) => {
      const known = Object.entries(fields).filter(([key]) => FILTERS[name]?.includes(key))
      const { status } = await server.call(
        'GET',
        `/${name}?${new URLSearchParams(known).toString()}`,
      )
      expect([200, 400]).toContain(status)
    }),
    RUNS,
  )
})

const FILTERS: Readonly<Record<string, readonly string[]>> = {
  sources: ['cursor', 'limit'],
  destinations: ['cursor', 'sourceId'],
  events: ['cursor', 'messageId', 'sourceId', 'type'],
  deliveries: ['cursor', 'eventId', 'destinationId', 'state'],
}

test('no body causes a server error', async () => {
  const anything = fc.jsonValue()
  const destination = fc.record(
    {
      sourceId: fc.oneof(fc.constant(sourceId), anything),
      type: fc.oneof(fc.constant('Webhooks'), anything),
      name: anything,
      enabled: fc.oneof(fc.boolean(), anything),
      settings: fc.oneof(
        anything,
        fc.record({
          webhooks: fc.array(fc.record({ url: fc.webUrl(), headers: anything })),
          sharedSecret: anything,
        }),
      ),
    },
    { requiredKeys: [] },
  )
  const source = fc.record({ name: text, enabled: anything, rateLimit: anything })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/sources', '/destinations', `/sources/${sourceId}/write-keys`),
      fc.oneof(anything, source, destination),
      async (path, body) => {
        const { status } = await server.call('POST', path, { body: JSON.stringify(body) })
        expect([201, 400, 422]).toContain(status)
      },
    ),
    RUNS,
  )
})

test('no bytes cause a server error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), async (body) => {
      const { status } = await server.call('POST', '/destinations', { body })
      expect([400, 422]).toContain(status)
    }),
    RUNS,
  )
})
