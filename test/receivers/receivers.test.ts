import { LIMITS } from '@hookline/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { FILES, PROGRAMS } from './programs.ts'
import { isInstalled, ReceiverProcess, SECRET, START_MS } from './receiver-process.ts'
import { newId, sendSigned, type SignedRequest } from './signed-request.ts'

test('the pages have a receiver and a command for each language', () => {
  const files = [...FILES.keys()].filter((name) => name.startsWith('receiver'))
  expect(PROGRAMS.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  expect(new Set(PROGRAMS.map(({ language }) => language))).toEqual(
    new Set(['node', 'python3', 'go', 'php', 'ruby']),
  )
})

const BODY = JSON.stringify({ version: 1, type: 'track', userId: 'u1', event: 'Käse 🧀' })

const REFUSED: readonly (readonly [string, Omit<SignedRequest, 'secret'> & { secret?: string }])[] =
  [
    ['a changed body', { body: BODY, sentBody: BODY.replace('u1', 'u2') }],
    ['a different secret', { secret: 'another secret' }],
    ['a timestamp six minutes in the past', { ageSeconds: 360 }],
    ['a timestamp six minutes in the future', { ageSeconds: -360 }],
    [
      'a changed timestamp',
      { headers: { 'webhook-timestamp': String(Math.round(Date.now() / 1000) - 9) } },
    ],
    ['a timestamp that is not a number', { headers: { 'webhook-timestamp': 'NaN' } }],
    ['no timestamp', { headers: { 'webhook-timestamp': undefined } }],
    ['a changed id', { headers: { 'webhook-id': 'msg_2' } }],
    ['no id', { headers: { 'webhook-id': undefined } }],
    ['no signature', { headers: { 'webhook-signature': undefined } }],
    ['an empty signature', { headers: { 'webhook-signature': '' } }],
    ['a signature without a known version', { headers: { 'webhook-signature': 'v1, v2,YQ== ,' } }],
    ['non-ASCII bytes in the signature', { headers: { 'webhook-signature': 'v1,ÿ' } }],
  ]

describe.for(PROGRAMS)('$file', (program) => {
  const isMissing = !isInstalled(program)
  let service: RunningService
  let receiver: ReceiverProcess

  test('has its language installed', ({ skip }) => {
    if (isMissing) skipOrFail(program.language, 'HOOKLINE_REQUIRE_LANGUAGES', skip)
  })

  beforeAll(async () => {
    if (isMissing) return
    receiver = await ReceiverProcess.start(program)
    service = await startService({ settings: { retryScheduleMs: '50', attemptTimeoutMs: '30000' } })
  }, START_MS)

  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  /** Creates a source and a destination with the receiver as its only webhook. */
  const destination = async (secret = SECRET) => {
    const source = await service.createSource()
    const id = await service.createDestination({ source, urls: [receiver.url], secret })
    const track = async (messageId: string) => {
      const call = { type: 'track', messageId, userId: 'u1', event: 'Käse 🧀' }
      expect(await service.send('/v1/track', call, source)).toMatchObject({ status: 200 })
      return (await service.endOf(messageId)).deliveries[0]!
    }
    return { id, track }
  }

  test.skipIf(isMissing)('accepts a delivery, and stores it unchanged', async () => {
    const { track } = await destination()
    const delivery = await track('accepted')
    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
    const stored = JSON.parse(receiver.stored().get(delivery.id)!) as object
    expect(stored).toMatchObject({ version: 1, messageId: 'accepted', event: 'Käse 🧀' })
    await receiver.printed('stored', delivery.id, 1)
  })

  test.skipIf(isMissing)('treats the replay of a delivery as a duplicate', async () => {
    const { id: destinationId, track } = await destination()
    const { id } = await track('replayed')
    await service.api.call('POST', 'replays', { destinationId, states: ['delivered'] })
    await receiver.printed('duplicate', id, 1)
    expect((await service.endOf('replayed')).deliveries[0]).toMatchObject({ state: 'delivered' })
    await receiver.printed('stored', id, 1)
  })

  test.skipIf(isMissing)(
    'stores a delivery once if it arrives five times concurrently',
    async () => {
      const id = newId()
      const same = { id, body: BODY, secret: SECRET }
      const all = await Promise.all(Array.from({ length: 5 }, () => sendSigned(receiver.url, same)))
      expect(all).toEqual([200, 200, 200, 200, 200])
      await receiver.printed('stored', id, 1)
      await receiver.printed('duplicate', id, 4)
      expect(receiver.stored().get(id)).toBe(BODY)
    },
  )

  test.skipIf(isMissing)(
    'accepts both secrets during a rotation of the shared secret',
    async () => {
      const { id, track } = await destination('the secret before it')
      await service.api.call('POST', `destinations/${id}/rotate-secret`, { secret: SECRET })
      expect(await track('rotated-to')).toMatchObject({ state: 'delivered' })
      const next = { secret: 'the next one', force: true }
      await service.api.call('POST', `destinations/${id}/rotate-secret`, next)
      expect(await track('rotated-from')).toMatchObject({ state: 'delivered' })
    },
  )

  test.skipIf(isMissing)(
    'refuses deliveries signed with a different secret, and stores nothing',
    async () => {
      const { track } = await destination('another secret')
      const delivery = await track('refused')
      expect(delivery).toMatchObject({
        state: 'rejected',
        attempts: [{ status: 401, class: 'http_4xx' }],
      })
      expect(receiver.stored().has(delivery.id)).toBe(false)
    },
  )

  test.skipIf(isMissing).for(REFUSED)('refuses %s', async ([, request]) => {
    const before = receiver.stored()
    expect(await sendSigned(receiver.url, { secret: SECRET, ...request })).toBe(401)
    expect(receiver.stored()).toEqual(before)
  })

  test.skipIf(isMissing).for([240, -240])(
    'accepts a timestamp that is %i seconds old',
    async (ageSeconds) => {
      expect(await sendSigned(receiver.url, { secret: SECRET, ageSeconds })).toBe(200)
    },
  )

  test.skipIf(isMissing)('accepts a body of 4 MiB, and refuses a larger one', async () => {
    const body = 'x'.repeat(LIMITS.payloadBytes)
    expect(await sendSigned(receiver.url, { secret: SECRET, body })).toBe(200)
    const larger = { secret: SECRET, body: `${body}x`, id: newId() }
    expect(await sendSigned(receiver.url, larger).catch(() => 'closed')).toBeOneOf([413, 'closed'])
    expect(receiver.stored().has(larger.id)).toBe(false)
  })

  test.skipIf(isMissing)('gets a retry of a delivery that it could not store', async () => {
    const { track } = await destination()
    receiver.setStorable(false)
    const tracked = track('unstored')
    await service.eventually(async () => {
      const [delivery] = (await service.trace('unstored')).deliveries
      expect(delivery).toMatchObject({ state: 'pending' })
      expect(delivery!.attempts[0]).toMatchObject({ status: 500, outcome: 'retry' })
    })
    receiver.setStorable(true)
    const { id, state } = await tracked
    expect(state).toBe('delivered')
    expect(receiver.stored().has(id)).toBe(true)
  })

  test.skipIf(isMissing)(
    'decodes a secret that begins with whsec_',
    { timeout: START_MS },
    async () => {
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      await using other = await ReceiverProcess.start(program, secret)
      const source = await service.createSource()
      await service.createDestination({ source, urls: [other.url], secret })
      const call = { type: 'track', messageId: 'whsec', userId: 'u1', event: 'Order' }
      await service.send('/v1/track', call, source)
      expect((await service.endOf('whsec')).deliveries).toMatchObject([{ state: 'delivered' }])
    },
  )
})
