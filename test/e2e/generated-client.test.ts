import { ok } from '@oazapfts/runtime'
import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import * as hookline from '../../packages/cli/src/api/generated/management-client.ts'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const SECRET = 'a shared secret of these tests'
const PATHS = ['a', 'b', 'c', 'd', 'e']

let service: RunningService
beforeAll(async () => {
  service = await startService({ settings: { retryScheduleMs: '50' } })
  hookline.defaults.baseUrl = service.url
  hookline.defaults.headers = { authorization: `Bearer ${service.token}` }
})
afterAll(() => service[Symbol.asyncDispose]())

const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString()) as { type: string }

/** Waits for an event with this messageId, and returns its trace. */
async function traceOf(messageId: string) {
  return service.eventually(async () => {
    const { data } = await ok(hookline.listEvents({ messageId }))
    expect(data).toHaveLength(1)
    return ok(hookline.getEvent(data[0]!.id))
  })
}

async function stateOf(messageId: string, state: string) {
  return service.eventually(async () => {
    const trace = await traceOf(messageId)
    expect(trace.deliveries.map((delivery) => delivery.state)).toEqual([state])
    return trace
  })
}

test('a client generated from the OpenAPI document covers everything from the first source to the receipt of a deletion', async () => {
  await using receiver = await openReceiver()
  const urls = PATHS.map((path) => `http://127.0.0.1:${receiver.port}/${path}`)

  // Create a source, and a destination with five webhooks and a header each.
  const source = await ok(hookline.createSource({ name: 'Shop' }, { idempotencyKey: 'shop' }))
  const again = await ok(hookline.createSource({ name: 'Shop' }, { idempotencyKey: 'shop' }))
  expect(again).toEqual(source)
  const destination = await ok(
    hookline.createDestination({
      sourceId: source.id,
      type: 'Webhooks',
      name: 'CRM',
      settings: {
        sharedSecret: SECRET,
        successPolicy: 'each',
        webhooks: urls.map((url) => ({ url, headers: { 'X-Tenant': 'shop' } })),
      },
    }),
  )
  expect(destination).toMatchObject({ enabled: false, settings: { sharedSecret: { set: true } } })

  // Test the disabled destination. Then enable it, unless another client has changed it.
  const tested = await ok(hookline.testDestination(destination.id, { type: 'identify' }))
  expect(tested.webhooks.map(({ attempt }) => attempt?.outcome)).toEqual(
    PATHS.map(() => 'delivered'),
  )
  const stale = await hookline.changeDestination(
    destination.id,
    { enabled: true },
    { ifMatch: '"0"' },
  )
  expect(stale).toMatchObject({ status: 412, data: { code: 'version_mismatch' } })
  const ifMatch = `"${destination.version}"`
  await ok(hookline.changeDestination(destination.id, { enabled: true }, { ifMatch }))

  // Send a call, and read its trace.
  const sender = { id: source.id, writeKey: source.writeKeys[0]!.key }
  const call = { type: 'track', userId: 'u1', event: 'Order Completed' }
  await service.send('/v1/track', { ...call, messageId: 'm-1' }, sender)
  const trace = await stateOf('m-1', 'delivered')
  expect(trace.source).toEqual({ id: source.id, name: 'Shop' })
  expect(trace.decisions).toMatchObject([{ decision: 'deliver', reason: null }])
  const [delivery] = trace.deliveries
  expect(delivery?.attempts.map(({ url }) => url).toSorted()).toEqual(urls)
  const received = receiver.requests.filter((request) => bodyOf(request).type === 'track')
  expect(received.map(({ path }) => path).toSorted()).toEqual(PATHS.map((path) => `/${path}`))
  for (const request of received) {
    expect(request.headers['x-tenant']).toBe('shop')
    expect(isSignedWith(SECRET, request)).toBe(true)
    expect(request.headers['webhook-id']).toBe(delivery?.id)
  }

  // Let one webhook reject the event. Find it among the failures, with a hint.
  receiver.respond = ({ path }) => (path === '/c' ? 404 : 200)
  await service.send('/v1/track', { ...call, messageId: 'm-2' }, sender)
  await stateOf('m-2', 'rejected')
  const { data: groups } = await ok(hookline.listFailures({ destinationId: destination.id }))
  expect(groups).toMatchObject([{ class: 'http_4xx', status: 404, count: 1 }])
  expect(groups[0]?.remedy).toMatch(/\w/)

  // Repair the receiver, and replay.
  receiver.respond = () => 200
  const wanted = { destinationId: destination.id }
  expect(await ok(hookline.createReplay({ ...wanted, dryRun: true }))).toEqual({
    dryRun: true,
    matches: 1,
  })
  const replay = await ok(hookline.createReplay(wanted))
  if (!('id' in replay)) throw new Error('The replay was a dry run.')
  await service.eventually(async () => {
    const done = await ok(hookline.getReplay(replay.id))
    expect(done).toMatchObject({ state: 'finished', requeued: 1, delivered: 1, failed: 0 })
  })
  await stateOf('m-2', 'delivered')

  // Delete the user, and get the receipt.
  const { id } = await ok(hookline.createDeletion({ userIds: ['u1'], sourceIds: [source.id] }))
  await service.eventually(async () => {
    expect(await ok(hookline.getDeletion(id))).toMatchObject({ id, state: 'finished' })
  })
  expect((await ok(hookline.listEvents({ userId: 'u1' }))).data).toEqual([])
  const notices = receiver.requests.filter((request) => bodyOf(request).type === 'delete')
  expect(notices.map(({ path }) => path).toSorted()).toEqual(PATHS.map((path) => `/${path}`))
  const proof = await ok(hookline.getDeletion(id, { format: 'receipt' }))
  if (!('receipt' in proof)) throw new Error('The response is not a receipt.')
  const { receipt, signature } = proof
  const publicKey = Buffer.from(signature.publicKey, 'base64')
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
  const bytes = Buffer.from(JSON.stringify(receipt))
  expect(verify(null, bytes, key, Buffer.from(signature.value, 'base64'))).toBe(true)
  await service.restart()
})
