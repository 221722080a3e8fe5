import { describe, expect, test } from 'vitest'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import {
  healthOf,
  hookline,
  openBreaker,
  RETRY_SOON,
  whyItWaits,
} from '@hookline/testing/service/waiting'

/** Longer than a test takes. */
const SLOW_RETRIES = { retryScheduleMs: '600000' }
const LATER = { status: 429, headers: { 'Retry-After': '3600' } }

describe('an event that is not sent has a decision with a reason and a remedy:', () => {
  test('the destination is disabled', async () => {
    await using service = await startService()
    const id = await service.createDestination({ urls: ['https://crm.example/'] })
    const change = (body: object) =>
      service.api.call<{ enabledChangedAt: string }>('PATCH', `destinations/${id}`, body)
    const { enabledChangedAt: since } = await change({ enabled: false })
    await change({ name: 'Another name' })
    await service.track('m-1')
    const sinceWhen = `was disabled when the event arrived. It had been disabled since ${since}.`
    const answer = {
      decision: 'declined',
      reason: 'destination_disabled',
      since,
      explanation: expect.stringContaining(sinceWhen),
      remedy: expect.stringMatching(/^Enable the destination: /),
    }
    expect((await service.endOf('m-1')).decisions).toMatchObject([answer])
    const { text: shown } = await hookline(service, 'destinations', 'get', id)
    expect(shown).toContain(`no, since ${since}: new events are not delivered`)
    // The decision does not change when the destination is enabled.
    await change({ enabled: true })
    expect((await service.trace('m-1')).decisions).toMatchObject([answer])
    const { text } = await hookline(service, 'trace', 'm-1')
    expect(text).toMatch(/^received +2/m)
    expect(text).toMatch(/^✗ .+ \(dst_\S+\) destination_disabled: The destination was disabled/m)
    expect(text).toContain(sinceWhen)
  })

  test('its integrations exclude the destination', async () => {
    await using service = await startService()
    await service.createDestination({ urls: ['https://crm.example/'] })
    await service.track('m-1', { integrations: { All: false } })
    const { decisions } = await service.endOf('m-1')
    expect(decisions).toMatchObject([
      {
        decision: 'declined',
        reason: 'integrations',
        explanation: expect.stringMatching(/exclude the destination\.$/),
        remedy: expect.stringMatching(/^Omit integrations/),
      },
    ])
    const { text } = await hookline(service, 'trace', 'm-1')
    expect(text).toMatch(/^✗ .+ \(dst_\S+\) integrations: The call's integrations exclude/m)
  })

  test('its source had no destination', async () => {
    await using service = await startService()
    await service.track('m-1')
    expect(await service.endOf('m-1')).toMatchObject({
      findings: [{ code: 'no_destination' }],
      decisions: [],
      deliveries: [],
    })
    const { text } = await hookline(service, 'trace', 'm-1')
    expect(text).toContain('No deliveries. The source had no destination when the event arrived.')
  })
})

describe('a call that created no event is explained:', () => {
  test('a duplicate, by the trace of the first call', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.track('m-1')
    const { lastDuplicateAt, receivedAt } = await service.eventually(async () => {
      const trace = await service.trace('m-1')
      expect(trace).toMatchObject({ duplicates: 1 })
      return trace
    })
    expect(Date.parse(lastDuplicateAt!)).toBeGreaterThanOrEqual(Date.parse(receivedAt))
    expect(Date.parse(lastDuplicateAt!)).toBeLessThanOrEqual(Date.now())
    await service.endOf('m-1')
    const { text } = await hookline(service, 'trace', 'm-1')
    expect(text).toMatch(/^duplicates +1 with the same messageId, last at \S+$/m)
    expect(text).toContain(`last at ${lastDuplicateAt}`)
    expect(receiver.requests).toHaveLength(1)
  })

  test('a call from a suppressed user, by the number of calls that the suppression dropped', async () => {
    await using service = await startService()
    await service.createDestination({ urls: ['https://crm.example/'], enabled: false })
    const deletion = { userIds: ['u1'], suppress: true }
    const { id } = await service.api.call<{ id: string }>('POST', 'deletions', deletion)
    await service.eventually(async () =>
      expect(await service.api.call('GET', 'suppressions')).toMatchObject({
        data: [{ userId: 'u1', since: expect.stringMatching(/Z$/), deletionId: id }],
      }),
    )
    const sentAt = Date.now()
    await service.track('m-1')
    const call = { type: 'track', event: 'E' }
    const batch = [
      { ...call, userId: 'u1' },
      { ...call, userId: 'u2' },
      { type: 'alias', userId: 'u3', previousId: 'u1' },
    ]
    expect(await service.send('/v1/batch', { batch })).toMatchObject({ status: 200 })
    const [counted] = await service.eventually(async () => {
      const page = await service.api.call<{ suppressions: { lastDroppedAt: string }[] }>(
        'GET',
        'events?userId=u1',
      )
      expect(page).toMatchObject({ data: [], suppressions: [{ userId: 'u1', droppedCalls: 3 }] })
      return page.suppressions
    })
    expect(Date.parse(counted!.lastDroppedAt)).toBeGreaterThanOrEqual(sentAt)
    expect(await service.api.call('GET', 'suppressions?userId=u1')).toMatchObject({
      data: [counted],
    })
    expect(await service.api.call('GET', 'events?userId=u2')).toMatchObject({
      data: [{ event: { userId: 'u2' } }],
      suppressions: [],
    })
    expect(await service.api.call('GET', 'events')).not.toHaveProperty('suppressions')

    const { code, text } = await hookline(service, 'trace', 'm-1')
    const command =
      'To narrow this down, run: hookline events why-missing --user <userId> --source <id>'
    expect([code, text]).toEqual([4, expect.stringContaining(command)])
    expect(text).toMatch(
      /^ {2}- users_suppressed \(count 3, last at \S+Z\): Calls for suppressed users /m,
    )
    const why = await hookline(service, 'events', 'why-missing', '--user', 'u1')
    expect(why.text).toMatch(
      new RegExp(
        `^suppressed \\(${id}, count 3, since \\S+Z, last at ${counted!.lastDroppedAt}\\): `,
        'm',
      ),
    )
    const list = await hookline(service, 'suppressions', 'list', '--user', 'u1')
    const { lastDroppedAt } = counted!
    expect(list.text).toMatch(new RegExp(`^u1 +3 +${lastDroppedAt} +2\\S+Z +all +${id}`, 'm'))
    const events = await hookline(service, 'events', 'list', '--user', 'u1')
    expect(events.text).toMatch(/^No matching events\.\nUser u1 has been suppressed in all /)
    expect(events.text).toContain(`3 calls dropped, last at ${lastDroppedAt}.`)
  })
})

describe('a pending event shows the reason, its start, and the next attempt:', () => {
  test('the breaker is open', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: RETRY_SOON })
    const id = await service.createDestination({ urls: [receiver.url] })
    const next = await openBreaker(service, id, { minOpenMs: 5_000 })
    await service.track('m-1')
    const { part, delivery, cli } = await whyItWaits(service, 'm-1', 'breaker_open')
    expect(Date.parse(part.waiting!.nextAttemptAt!)).toBeGreaterThanOrEqual(next)
    expect(delivery.nextAttemptAt).toBe(part.waiting!.nextAttemptAt)
    expect(cli).toContain('pending: breaker open after too many failed attempts\n')
    expect(cli).toContain(`Retry now: hookline destinations close-breaker ${id}`)
  })

  test('the receiver sent Retry-After', async () => {
    await using receiver = await openReceiver({ respond: LATER })
    await using service = await startService()
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { part, cli } = await whyItWaits(service, 'm-1', 'retry_after')
    expect(part.lastAttempt).toMatchObject({ class: 'http_throttled', status: 429 })
    const { retryAfterUntil } = await healthOf(service, id)
    expect(Date.parse(part.waiting!.nextAttemptAt!)).toBeGreaterThanOrEqual(
      Date.parse(retryAfterUntil!) - 1_000,
    )
    expect(cli).toContain('pending: the receiver sent Retry-After, or the token request failed\n')
    await service.track('m-2')
    expect((await whyItWaits(service, 'm-2', 'retry_after')).part.lastAttempt).toBeNull()
  })

  test('the destination is paused', async () => {
    await using service = await startService()
    const id = await service.createDestination({ urls: ['https://crm.example/'] })
    await service.api.call('POST', `destinations/${id}/pause`)
    await service.track('m-1')
    const { part, delivery, cli } = await whyItWaits(service, 'm-1', 'destination_paused')
    expect(delivery).toMatchObject({ state: 'held', nextAttemptAt: null })
    expect(part).toMatchObject({ state: 'held', waiting: { nextAttemptAt: null } })
    expect(cli).toContain('held: the destination is paused\n')
    expect(cli).toContain(`Resume it: hookline destinations resume ${id}`)
  })

  test('it is held, because the destination was paused before the retry', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: SLOW_RETRIES })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await whyItWaits(service, 'm-1', 'retry')
    await service.api.call('POST', `destinations/${id}/pause`)
    await service.eventually(async () =>
      expect((await service.trace('m-1')).deliveries).toMatchObject([{ state: 'held' }]),
    )
    const { part } = await whyItWaits(service, 'm-1', 'destination_paused')
    expect(part.lastAttempt).toMatchObject({ class: 'http_5xx' })
    const { text } = await hookline(service, 'deliveries', 'list', '--state', 'held')
    expect(text).toContain(id)
  })

  test('its destination was disabled before the retry', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: SLOW_RETRIES })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await whyItWaits(service, 'm-1', 'retry')
    await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
    const { part, cli } = await whyItWaits(service, 'm-1', 'destination_disabled')
    expect(part.waiting!.nextAttemptAt).toBeNull()
    expect(cli).toContain(`Enable it: hookline destinations enable ${id}`)
  })

  test('its address is forbidden', async () => {
    await using receiver = await openReceiver()
    await using service = await startService({ settings: { allowedNetworks: '' } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    // The webhook is paused first, and then the delivery is held.
    await service.eventually(async () =>
      expect((await service.trace('m-1')).deliveries).toMatchObject([{ state: 'held' }]),
    )
    const { part, explanation, cli } = await whyItWaits(service, 'm-1', 'url_forbidden')
    expect(part).toMatchObject({ state: 'held', lastAttempt: { class: 'address_forbidden' } })
    expect(explanation).toContain('address_forbidden:')
    expect(cli).toMatch(/held: webhook paused: address or port not in/)
    const { text } = await hookline(service, 'destinations', 'get', id)
    expect(text).toMatch(/paused since 2\S+Z: its address or port is not in/)
    expect(text).toMatch(
      /warning +The address 127\.0\.0\.1 is loopback, so the webhook cannot receive anything/,
    )
    expect(receiver.connections).toBe(0)
  })

  test('its certificate is invalid', async () => {
    await using receiver = await openReceiver({ tls: makeCertificates().selfSigned })
    await using service = await startService({ settings: SLOW_RETRIES })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { part, explanation, cli } = await whyItWaits(service, 'm-1', 'retry')
    expect(part.lastAttempt).toMatchObject({ class: 'certificate_invalid' })
    expect(explanation).toContain('certificate_invalid:')
    expect(cli).toContain('pending: the last attempt failed (certificate_invalid)\n')
    expect(cli).toContain('The certificate ')
  })

  test('the receiver does not respond in time', async () => {
    await using receiver = await openReceiver({ respond: 'silence' })
    await using service = await startService({
      settings: { ...SLOW_RETRIES, attemptTimeoutMs: '200' },
    })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { part, explanation, cli } = await whyItWaits(service, 'm-1', 'retry')
    expect(part.lastAttempt).toMatchObject({ class: 'timeout' })
    expect(explanation).toContain('timeout:')
    expect(cli).toContain('pending: the last attempt failed (timeout)\n')
  })

  test('the receiver is slower than events arrive', async () => {
    await using receiver = await openReceiver({ respond: 'silence' })
    await using service = await startService({ settings: { maxConcurrencyPerWebhook: '1' } })
    await service.createDestination({ urls: [receiver.url] })
    for (const messageId of ['m-1', 'm-2', 'm-3']) await service.track(messageId)
    const { cli } = await whyItWaits(service, 'm-3', 'queued')
    expect(cli).toContain('pending: due, queued\n')
  })

  test('its request has no response yet', async () => {
    await using receiver = await openReceiver({ respond: 'silence' })
    await using service = await startService({ settings: { attemptTimeoutMs: '8000' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { cli } = await whyItWaits(service, 'm-1', 'in_flight')
    expect(cli).toContain('pending: request in progress\n')
  })
})
