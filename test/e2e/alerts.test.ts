import { expect, test } from 'vitest'
import { openMailServer } from '@hookline/testing/receiver/mail-server'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { type Alert, alertsIn, openChannel, problemsOf } from './received-alerts.ts'

/** Requests in the format `opsgenie` about a destination. */
function opsgenieRequests({ requests }: Receiver, id: string) {
  return requests
    .map(({ path, headers, body }) => ({
      path,
      key: headers.authorization,
      alert: JSON.parse(body.toString()) as Readonly<Record<string, unknown>>,
    }))
    .filter(({ path, alert }) => `${path} ${String(alert['alias'])}`.includes(id))
}

test('a destination that has never worked is a problem, raises one alert and recovers once', async () => {
  const consoleUrl = 'https://hookline.example/console'
  await using service = await startService({ settings: { retryScheduleMs: '1000', consoleUrl } })
  await using channel = await openReceiver()
  await using receiver = await openReceiver({
    respond: ({ body }) => ({ status: 503, body: `planted-response ${body.toString()}` }),
  })
  await using opsgenie = await openReceiver({ respond: 202 })
  const { id: channelId } = await service.api.call<{ id: string }>('POST', 'alerts/channels', {
    url: channel.url,
    format: 'webhook',
  })
  await service.api.call('POST', 'alerts/channels', {
    url: `${new URL(opsgenie.url).origin}/v2/alerts`,
    format: 'opsgenie',
    key: 'planted-key',
  })
  const headers = { 'X-Api-Key': 'planted-secret' }
  const id = await service.createDestination({ webhooks: [{ url: receiver.url, headers }] })
  await service.track('m-1', { userId: 'planted-user' })
  await expect
    .poll(() => problemsOf(service))
    .toMatchObject([{ condition: 'webhook_failing', subject: { id } }])
  await expect.poll(() => alertsIn(channel).filter(({ userId }) => userId === id)).toHaveLength(1)
  const [failing] = alertsIn(channel).filter(({ userId }) => userId === id)
  expect(failing).toMatchObject({
    type: 'track',
    event: 'Webhook Failing',
    userId: id,
    properties: {
      condition: 'webhook_failing',
      severity: 'failing',
      state: 'started',
      name: 'Webhooks',
      class: 'http_5xx',
      pending: 1,
      expiresAt: expect.any(String),
      title: expect.stringMatching(
        /^Webhooks.*: The receiver responded with 503 \(Service Unavailable\)\. Open the link/,
      ),
      host: new URL(receiver.url).host,
      link: `${consoleUrl}/destinations/${id}`,
    },
  })
  receiver.respond = () => 200
  await expect.poll(() => problemsOf(service)).toEqual([])
  const names = (): string[] =>
    alertsIn(channel).flatMap(({ userId, event }) => (userId === id ? event : []))
  await expect.poll(names).toEqual(['Webhook Failing', 'Webhook Recovered'])
  const sent = [...channel.requests, ...opsgenie.requests].map(({ body }) => body.toString())
  expect(sent.filter((text) => text.includes('planted'))).toEqual([])
  // The second webhook of the channel closes the alert from the first one.
  await expect.poll(() => opsgenieRequests(opsgenie, id)).toHaveLength(2)
  const alias = `webhook_failing destination ${id}`
  expect(opsgenieRequests(opsgenie, id)).toMatchObject([
    { path: '/v2/alerts', key: 'GenieKey planted-key', alert: { alias, priority: 'P1' } },
    {
      path: `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
      key: 'GenieKey planted-key',
      alert: { source: 'hookline', note: expect.stringContaining('is working again') },
    },
  ])
  const { channels } = await service.api.call<{ channels: object[] }>('GET', 'alerts')
  expect(channels).toMatchObject([
    {
      destinationId: channelId,
      name: 'Alerts (webhook)',
      format: 'webhook',
      host: new URL(channel.url).host,
      enabled: true,
      lastDeliveredAt: expect.any(String),
    },
    { format: 'opsgenie', lastDeliveredAt: expect.any(String) },
  ])
})

test('an email that the mail server refuses at first is retried, and its attempts are recorded', async () => {
  const server = await openMailServer({ replies: { 'MAIL FROM': '451 Try later' } })
  await using service = await startService({ settings: { retryScheduleMs: '500' } })
  const { id: destinationId } = await service.api.call<{ id: string }>('POST', 'alerts/channels', {
    url: server.url,
    format: 'email',
  })
  const { source } = service
  await service.api.call('PATCH', `sources/${source.id}`, { enabled: false })
  const call = { type: 'track', event: 'A', userId: 'u1' }
  expect((await service.send('/v1/track', call)).status).toBe(403)
  await expect.poll(() => server.lines).toContain('MAIL FROM:<ops@a.example>')
  server.accept()
  await expect
    .poll(() => server.lines)
    .toContainEqual(expect.stringContaining('Subject: Calls Refused'))
  interface Listed {
    readonly attempts: readonly { readonly class: string; readonly status: number }[]
  }
  const listed = () =>
    service.api.call<{ data: Listed[] }>(
      'GET',
      `deliveries?state=delivered&destinationId=${destinationId}`,
    )
  await expect.poll(async () => (await listed()).data.length).toBeGreaterThan(0)
  const attempts = (await listed()).data.flatMap((each) => each.attempts)
  expect(attempts.map((each) => [each.class, each.status])).toContainEqual(['delivered', 250])
  expect(attempts.map((each) => [each.class, each.status])).toContainEqual(['mail_refused', 451])
})

test('refused calls for a disabled source are a problem, an alert and a metric', async () => {
  await using service = await startService()
  await using channel = await openChannel(service)
  const { source } = service
  await service.api.call('PATCH', `sources/${source.id}`, { enabled: false })
  const call = { type: 'track', event: 'A', userId: 'u1' }
  for (let sent = 0; sent < 40; sent += 1)
    expect((await service.send('/v1/track', call)).status).toBe(403)
  expect(await problemsOf(service)).toMatchObject([
    { condition: 'calls_refused', severity: 'data_loss', subject: { id: source.id } },
  ])
  const problem = 'hookline_problems{condition="calls_refused",severity="data_loss"}'
  expect(await service.metric(problem)).toBe(1)
  const reason = 'hookline_refused_calls_total{reason="source_disabled"}'
  expect(await service.metric(reason)).toBe(40)
  const refused = (): Alert[] => alertsIn(channel).filter(({ event }) => event === 'Calls Refused')
  await expect.poll(refused).toHaveLength(1)
  expect(refused()[0]).toMatchObject({ userId: source.id, properties: { name: 'Test', count: 40 } })
})

test('a call with the id or the name of the built-in source as its write key is refused', async () => {
  await using service = await startService()
  await using _channel = await openChannel(service)
  const call = { type: 'track', event: 'A', userId: 'u1' }
  for (const writeKey of ['src_hookline', 'hookline', '']) {
    const source = { id: 'src_hookline', writeKey }
    expect((await service.send('/v1/track', call, source)).status).toBe(401)
  }
})
