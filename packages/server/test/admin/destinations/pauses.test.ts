import { formatTimestamp } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Shown {
  readonly id: string
  readonly version: number
  readonly paused: object | null
  readonly settings: { readonly webhooks: readonly { readonly paused: object | null }[] }
}

let server: AdminServer
let sourceId: string
beforeAll(async () => {
  server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

const make = () =>
  server.must<Shown>('POST', '/destinations', {
    body: { sourceId, type: 'Webhooks', settings: { webhookUrl: 'https://a.example' } },
  })

/** Pauses a webhook as the delivery engine does after the third 410. */
async function pauseWebhook(id: string): Promise<void> {
  const { catalog } = server.backend
  const { settings, version, ...rest } = catalog.current.destinations.get(id)!
  const paused = { since: NOON, reason: 'webhook_gone' } as const
  const webhooks = settings.webhooks.map((webhook) => ({ ...webhook, paused }))
  const changed = { ...rest, settings: { ...settings, webhooks }, version: version + 1 }
  await catalog.putDestination(changed)
}

test('a destination is paused and resumed; a repeated request changes nothing', async () => {
  const { id } = await make()
  const paused = await server.must<Shown>('POST', `/destinations/${id}/pause`)
  expect(paused.paused).toEqual({ since: formatTimestamp(NOON), reason: 'operator' })
  expect(paused.version).toBe(2)
  server.clock.advance(1000)
  expect(await server.must('POST', `/destinations/${id}/pause`)).toEqual(paused)
  expect(await server.must('GET', `/destinations/${id}`)).toMatchObject(paused)
  const resumed = await server.must<Shown>('POST', `/destinations/${id}/resume`, { body: {} })
  expect([resumed.paused, resumed.version]).toEqual([null, 3])
  expect(await server.must('POST', `/destinations/${id}/resume`)).toEqual(resumed)
})

test('a paused webhook is shown as paused, remains so after a change to its settings, and is resumed with its destination', async () => {
  const { id } = await make()
  await pauseWebhook(id)
  const gone = { since: formatTimestamp(NOON), reason: 'webhook_gone' }
  const shown = await server.must<Shown>('GET', `/destinations/${id}`)
  expect(shown.settings.webhooks.map(({ paused }) => paused)).toEqual([gone])
  const body = { settings: shown.settings }
  const changed = await server.must<Shown>('PATCH', `/destinations/${id}`, { body })
  expect(changed.settings).toEqual(shown.settings)
  const shorthand = { settings: { webhookUrl: 'https://a.example/' } }
  const same = await server.must<Shown>('PATCH', `/destinations/${id}`, { body: shorthand })
  expect(same.settings).toEqual(shown.settings)
  const resumed = await server.must<Shown>('POST', `/destinations/${id}/resume`)
  expect(resumed.settings.webhooks.map(({ paused }) => paused)).toEqual([null])
})

test('`paused` cannot be set by PATCH, and pause and resume respect If-Match', async () => {
  const { id } = await make()
  const answer = await server.call<ProblemDocument>('PATCH', `/destinations/${id}`, {
    body: { paused: null },
  })
  expect(errorsIn(answer.body)).toEqual(['/paused immutable'])
  const headers = { 'if-match': '"7"' }
  expect((await server.call('POST', `/destinations/${id}/pause`, { headers })).status).toBe(412)
  expect((await server.call('POST', '/destinations/dst_none/pause')).status).toBe(404)
})
