import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { skipCallCheck } from '@hookline/testing/service/skip-call-check'

interface Deletion {
  readonly id: string
  readonly state: string
  readonly createdAt: string
  readonly purged: { readonly events: number; readonly deliveries: number }
  readonly notifications: readonly {
    readonly sourceId: string
    readonly destinationId: string
    readonly status: string
    readonly attempts: number
    readonly notifiedAt: string | null
  }[]
}

const SECRET = 'the-shared-secret'
const RETRY_SOON = { retryScheduleMs: '50' }

const typeOf = ({ body }: ReceivedRequest): unknown =>
  (JSON.parse(body.toString()) as { type: unknown }).type

const notices = (requests: readonly ReceivedRequest[]): ReceivedRequest[] =>
  requests.filter((request) => typeOf(request) === 'delete')

async function ask(service: RunningService, body: object): Promise<string> {
  const { status, text } = await service.api.request('POST', 'deletions', body)
  expect(status, text).toBe(202)
  const { id, state } = JSON.parse(text) as Deletion
  expect(state).toBe('queued')
  return id
}

function until(service: RunningService, id: string, state: string): Promise<Deletion> {
  return service.eventually(async () => {
    const deletion = await service.api.call<Deletion>('GET', `deletions/${id}`)
    expect(deletion).toMatchObject({ id, state })
    return deletion
  })
}

describe('a deletion', () => {
  it('notifies every webhook until each has accepted, for any success policy', async () => {
    await using receiver = await openReceiver()
    await using other = await openReceiver({ respond: [503, 503, 200] })
    await using service = await startService({ settings: RETRY_SOON })
    const urls = [receiver.url, other.url]
    await service.createDestination({ urls, policy: 'any' })
    const id = await ask(service, { userIds: ['ada'] })
    await until(service, id, 'finished')
    expect([notices(receiver.requests).length, notices(other.requests).length]).toEqual([1, 3])
  })

  it('removes the user, and notifies each enabled destination once, signed', async () => {
    await using receiver = await openReceiver()
    await using other = await openReceiver()
    await using service = await startService()
    const second = await service.createSource()
    const destinationId = await service.createDestination({ urls: [receiver.url], secret: SECRET })
    await service.createDestination({ urls: [other.url], source: second })
    await service.createDestination({ urls: [other.url], enabled: false })
    await service.track('m1', { userId: 'ada' })
    await service.track('m2', { userId: 'bob' })
    const alias = { type: 'alias', messageId: 'm3', userId: 'eve', previousId: 'ada' }
    await service.send('/v1/alias', alias)
    await receiver.waitFor(3)
    await service.endOf('m3')
    const { id: eventId } = await service.trace('m1')

    const id = await ask(service, { userIds: ['ada'] })
    const deletion = await until(service, id, 'finished')
    expect(deletion.purged).toEqual({ events: 2, anonymousEvents: 0, deliveries: 2 })
    expect(deletion.notifications).toHaveLength(2)
    expect(deletion.notifications.find((each) => each.destinationId === destinationId)).toEqual({
      sourceId: service.source.id,
      destinationId,
      status: 'delivered',
      notices: { waiting: 0, delivered: 1, failed: 0 },
      attempts: 1,
      notifiedAt: expect.any(String),
    })
    expect(await service.api.request('GET', `events/${eventId}`)).toMatchObject({ status: 404 })
    expect((await service.trace('m2')).deliveries).toHaveLength(1)

    const [notice, ...more] = notices(receiver.requests)
    expect(more).toEqual([])
    expect(notice!.body.toString()).toBe(
      `{"type":"delete","userId":"ada","timestamp":"${deletion.createdAt}"}`,
    )
    expect(isSignedWith(SECRET, notice!)).toBe(true)
    expect(notice!.headers['webhook-id']).toMatch(/^msg_/)
    expect(notices(other.requests)).toHaveLength(1)
    await skipCallCheck(service)
    expect(notices(receiver.requests)).toHaveLength(1)
  })

  it('with suppress drops later calls from the user until the suppression is removed', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const id = await ask(service, { userIds: ['a user/ä'], suppress: true })
    await until(service, id, 'finished')
    const call = (messageId: string, userId: string) => ({
      messageId,
      userId,
      event: 'E',
      type: 'track',
    })
    const batch = { batch: [call('m1', 'a user/ä'), call('m2', 'bob'), { type: 'nonsense' }] }
    const response = await service.send('/v1/batch', batch)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.text)).toMatchObject({ success: true, rejected: [{ index: 2 }] })
    await service.track('m3', { userId: 'a user/ä' })
    await service.restart()
    await service.track('m4', { userId: 'a user/ä' })
    await service.endOf('m2')
    const { data } = await service.api.call<{ data: { event: object }[] }>('GET', 'events')
    expect(data.map(({ event }) => event)).toMatchObject([{ messageId: 'm2' }])
    const { text } = await exchange(`${service.url}/metrics`, { method: 'GET' })
    expect(text).toContain('hookline_ingest_events_total{result="suppressed"} 1')

    expect(await service.api.call('GET', 'suppressions')).toMatchObject({
      data: [{ userId: 'a user/ä', sourceId: null, deletionId: id }],
    })
    const path = `suppressions/${encodeURIComponent('a user/ä')}`
    expect(await service.api.request('DELETE', path)).toMatchObject({ status: 204 })
    expect(await service.api.request('DELETE', path)).toMatchObject({ status: 404 })
    await service.track('m5', { userId: 'a user/ä' })
    expect(await service.endOf('m5')).toMatchObject({ deliveries: [{ state: 'delivered' }] })
  })

  it('of an anonymousId removes all its events, names it in notices, and suppresses calls without a userId', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url], secret: SECRET })
    await service.track('m1', { userId: null, anonymousId: 'a1', properties: { x: 'PLANTED' } })
    await service.track('m2', { userId: 'ada', anonymousId: 'a1' })
    await service.track('m3', { userId: 'a1', anonymousId: 'a2' })
    await service.endOf('m3')
    const id = await ask(service, { anonymousIds: ['a1'], suppress: true })
    const deletion = await until(service, id, 'finished')
    expect(deletion).toMatchObject({
      users: 0,
      anonymousUsers: 1,
      anonymousIds: ['a1'],
      purged: { events: 2, anonymousEvents: 1, deliveries: 2 },
    })
    const notice = notices(receiver.requests)
    expect(notice.map(({ body }) => body.toString())).toEqual([
      `{"type":"delete","anonymousId":"a1","timestamp":"${deletion.createdAt}"}`,
    ])
    expect(isSignedWith(SECRET, notice[0]!)).toBe(true)
    expect(await service.api.call('GET', `deletions/${id}/notices`)).toMatchObject({
      data: [{ userId: null, anonymousId: 'a1', state: 'delivered' }],
    })
    await service.restart()
    await service.track('m4', { userId: null, anonymousId: 'a1' })
    await service.track('m5', { userId: 'ada', anonymousId: 'a1' })
    await service.endOf('m5')
    const { data } = await service.api.call<{ data: { event: { messageId: string } }[] }>(
      'GET',
      'events',
    )
    expect(data.map(({ event }) => event.messageId)).toEqual(['m5', 'm3'])
    const found = await service.api.call('GET', 'events?anonymousId=a1')
    expect(found).toMatchObject({ suppressions: [{ anonymousId: 'a1', droppedCalls: 1 }] })
    const path = 'suppressions?anonymousId=a1'
    const { status, text } = await service.api.request('DELETE', `${path}&userId=ada`)
    expect([status, text]).toEqual([400, expect.stringContaining('"pointer":"/anonymousId"')])
    expect(await service.api.request('DELETE', path)).toMatchObject({ status: 204 })
    await service.track('m6', { userId: null, anonymousId: 'a1' })
    await service.endOf('m6')
  })

  it('of no users, or of more than 5,000 in total, is refused', async () => {
    await using service = await startService()
    const ids = Array.from({ length: 2501 }, (_, index) => `id-${index}`)
    for (const body of [{}, { suppress: true }, { userIds: ids, anonymousIds: ids }])
      expect((await service.api.request('POST', 'deletions', body)).status).toBe(422)
  })

  it('removes the user from the live tail, even for a reader that resumes from an earlier position', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const headers = { Authorization: `Bearer ${service.token}` }
    const readUntil = async (wanted: string, lastId?: string): Promise<string> => {
      const abort = new AbortController()
      const more = lastId === undefined ? {} : { 'last-event-id': lastId }
      const response = await fetch(`${service.url}/api/v1/live`, {
        headers: { ...headers, ...more },
        signal: abort.signal,
      })
      let text = ''
      for await (const chunk of response.body!) {
        text += Buffer.from(chunk).toString()
        if (text.includes(wanted)) break
      }
      abort.abort()
      return text
    }
    // The first connection makes the tail keep activities for readers that resume.
    await readUntil('retry')
    const firstEvent = readUntil('"messageId":"m0"')
    await service.eventually(async () => {
      await service.track('m0', { userId: 'bob' })
      expect(await Promise.race([firstEvent, Promise.resolve('')])).not.toBe('')
    })
    const lastId = /id: (.*)/.exec(await firstEvent)![1]!
    // A name that no generated id can contain, because ids have no i, l, o or u.
    await service.track('m1', { userId: 'louis' })
    await service.endOf('m1')
    await service.track('m2', { userId: 'bob' })
    const before = await readUntil('"messageId":"m2"', lastId)
    expect(before).toContain('"userId":"louis"')
    const id = await ask(service, { userIds: ['louis'] })
    await until(service, id, 'finished')
    const after = await readUntil('"messageId":"m2"', lastId)
    expect(after).not.toMatch(/louis|"m1"|event: gap/)
    await skipCallCheck(service)
  })

  it('returns a receipt that anyone can verify', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const id = await ask(service, { userIds: ['b', 'a', 'a'] })
    await until(service, id, 'finished')
    interface Receipt {
      readonly receipt: { readonly id: string; readonly userIds: readonly string[] }
      readonly signature: { readonly publicKey: string; readonly value: string }
    }
    const get = () => service.api.call<Receipt>('GET', `deletions/${id}?format=receipt`)
    const { receipt, signature } = await get()
    expect(receipt).toMatchObject({ id, state: 'finished', users: 2, userIds: ['a', 'b'] })
    const key = createPublicKey({
      key: Buffer.from(signature.publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    })
    const check = (document: object): boolean =>
      verify(
        null,
        Buffer.from(JSON.stringify(document)),
        key,
        Buffer.from(signature.value, 'base64'),
      )
    expect(check(receipt)).toBe(true)
    expect(check({ ...receipt, users: 3 })).toBe(false)
    await skipCallCheck(service)
    expect((await get()).signature.publicKey).toBe(signature.publicKey)
  })
})

describe('a deletion notice', () => {
  it('is retried like a delivery, with the same webhook-id, and keeps every attempt', async () => {
    await using receiver = await openReceiver({ respond: [503, 500, 200] })
    await using service = await startService({ settings: RETRY_SOON })
    await service.createDestination({ urls: [receiver.url] })
    const id = await ask(service, { userIds: ['ada'] })
    const deletion = await until(service, id, 'finished')
    expect(deletion.notifications[0]).toMatchObject({ status: 'delivered', attempts: 3 })
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(await service.api.call('GET', `deletions/${id}/notices`)).toMatchObject({
      data: [
        {
          id: ids[0],
          deletionId: id,
          userId: 'ada',
          state: 'delivered',
          attempts: [{ status: 503 }, { status: 500 }, { status: 200 }],
        },
      ],
    })
  })

  it('continues after a restart, with the same webhook-id', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: { retryScheduleMs: '300' } })
    await service.createDestination({ urls: [receiver.url] })
    const id = await ask(service, { userIds: ['ada'] })
    await receiver.waitFor(1)
    await service.restart()
    receiver.respond = () => 200
    await until(service, id, 'finished')
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(ids.length).toBeGreaterThan(1)
    expect(new Set(ids).size).toBe(1)
  })

  it('does not wait for events, even if a slow receiver occupies all of their slots', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    await using receiver = await openReceiver({
      respond: (request) => (typeOf(request) === 'delete' ? 200 : opened.then(() => 200)),
    })
    const limits = { maxInFlight: '8', maxConcurrencyPerWebhook: '2', attemptTimeoutMs: '60000' }
    await using service = await startService({ settings: limits })
    await service.createDestination({ urls: [receiver.url] })
    for (let index = 0; index < 20; index++) await service.track(`m${index}`)
    await receiver.waitFor(2)
    const id = await ask(service, { userIds: ['ada'] })
    await until(service, id, 'finished')
    expect(receiver.requests.filter((request) => typeOf(request) === 'track')).toHaveLength(2)
    open()
    await service.endOf('m19')
  })

  it('makes the deletion partial if a receiver rejects it', async () => {
    await using receiver = await openReceiver({ respond: 400 })
    await using well = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.createDestination({ urls: [well.url] })
    const id = await ask(service, { userIds: ['ada'] })
    const { notifications } = await until(service, id, 'partial')
    expect(notifications.map(({ status }) => status).toSorted()).toEqual(['delivered', 'failed'])
  })

  it('to a paused destination is held, and sent when the destination is resumed', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const destinationId = await service.createDestination({ urls: [receiver.url] })
    await service.api.call('POST', `destinations/${destinationId}/pause`)
    const id = await ask(service, { userIds: ['ada'] })
    const noticeStates = async () =>
      (await service.api.call<{ data: { state: string }[] }>('GET', `deletions/${id}/notices`)).data
    await service.eventually(async () =>
      expect(await noticeStates()).toMatchObject([{ state: 'held' }]),
    )
    expect(await until(service, id, 'running')).toMatchObject({
      notifications: [{ status: 'pending', attempts: 0 }],
    })
    await service.api.call('POST', `destinations/${destinationId}/resume`)
    await until(service, id, 'finished')
    expect(notices(receiver.requests)).toHaveLength(1)
  })
})
