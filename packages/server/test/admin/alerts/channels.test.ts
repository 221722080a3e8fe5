import { expect, test } from 'vitest'
import { sampleAlert } from '../../../src/alerts/alert-event.ts'
import {
  CHANNEL_FORMAT_NAMES,
  CHANNEL_FORMATS,
  type ChannelFormat,
  type ChannelFormatName,
} from '../../../src/alerts/channels.ts'
import { CONDITIONS } from '../../../src/alerts/conditions.ts'
import { TestDeliverySender } from '../../../src/delivery/parts/test-deliveries.ts'
import { Transforms } from '../../../src/delivery/transforms/transforms.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { openSender } from '@hookline/testing/engine/open-sender'
import { Receiver } from '@hookline/testing/receiver/receiver'
import { recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const SLACK = { url: 'https://hooks.example/secret', format: 'slack' }

interface Created {
  readonly id: string
  readonly sourceId: string
  readonly name: string
  readonly enabled: boolean
  readonly settings: { readonly transform?: string; readonly webhooks: readonly object[] }
}

interface Alerts {
  readonly sourceId: string
  readonly conditions: readonly { readonly condition: string; readonly severity: string }[]
  readonly channels: readonly object[]
  readonly heldBack: number
}

const add = (server: AdminServer, body: object) =>
  server.must<Created>('POST', '/alerts/channels', { body })

test('without a channel, the conditions are listed, and the source does not exist', async () => {
  await using server = await AdminServer.open()
  const alerts = await server.must<Alerts>('GET', '/alerts')
  expect(alerts).toMatchObject({ sourceId: 'src_hookline', channels: [], heldBack: 0 })
  expect(alerts.conditions.map(({ condition }) => condition)).toEqual(Object.keys(CONDITIONS))
  expect(alerts.conditions[0]).toEqual({ condition: 'calls_refused', ...CONDITIONS.calls_refused })
  expect(server.backend.catalog.current.sources.size).toBe(0)
})

test('a channel is an enabled destination of the built-in source', async () => {
  await using server = await AdminServer.open()
  const created = await add(server, SLACK)
  expect(created).toMatchObject({
    sourceId: 'src_hookline',
    name: 'Alerts (slack)',
    enabled: true,
    settings: { transform: expect.stringContaining('"text"') },
  })
  expect(await server.must('GET', '/sources/src_hookline')).toMatchObject({
    id: 'src_hookline',
    name: 'hookline',
    writeKeys: [],
    space: 'hookline',
  })
  const destinationId = created.id
  await recordDelivery(server, { destinationId, state: 'delivered', attemptCount: 1 })
  expect((await server.must<Alerts>('GET', '/alerts')).channels).toEqual([
    {
      destinationId,
      name: 'Alerts (slack)',
      format: 'slack',
      host: 'hooks.example',
      enabled: true,
      lastDeliveredAt: null,
    },
  ])
  await server.must('DELETE', `/destinations/${destinationId}`)
  expect((await server.must<Alerts>('GET', '/alerts')).channels).toEqual([])
})

test('channels that are added at the same time share the source', async () => {
  await using server = await AdminServer.open()
  await Promise.all([add(server, SLACK), add(server, { ...SLACK, name: 'Second' })])
  const { destinationsBySource } = server.backend.catalog.current
  expect(destinationsBySource.get('src_hookline')).toHaveLength(2)
})

test.each([
  ['pagerduty', 'X-Routing-Key', 'secret-1'],
  ['opsgenie', 'Authorization', 'GenieKey secret-1'],
  ['webhook', 'Authorization', 'Bearer secret-1'],
])('the key of %s is a header, which the API does not show', async (format, header, value) => {
  await using server = await AdminServer.open()
  const created = await add(server, { url: 'https://a.example', format, key: 'secret-1' })
  expect(created.settings.webhooks[0]).toMatchObject({ headers: { [header]: { set: true } } })
  expect(JSON.stringify(created)).not.toContain('secret-1')
  const stored = server.backend.catalog.current.destinations.get(created.id)
  expect(stored!.settings.webhooks[0]!.headers).toEqual({ [header]: value })
})

test('the password of a mail server is a secret, which the URL does not contain', async () => {
  await using server = await AdminServer.open()
  const query = '?to=ops@a.example,b@a.example'
  const at = (login: string) => ({ url: `smtps://${login}@mail.example/${query}`, format: 'email' })
  const inUrl = await server.call<Created>('POST', '/alerts/channels', {
    body: at('me%40a.example:s%2Fecret-1'),
  })
  const asKey = await server.call<Created>('POST', '/alerts/channels', {
    body: { ...at('me%40a.example'), key: 's/ecret-1' },
  })
  const stored = server.backend.catalog.current.destinations
  for (const { status, body } of [inUrl, asKey]) {
    expect(status).toBe(201)
    expect(body.settings.webhooks).toMatchObject([
      {
        url: `smtps://mail.example/${query}`,
        auth: { basic: { user: 'me@a.example', password: { set: true } } },
        limits: { timeout: '30s' },
      },
    ])
    expect(stored.get(body.id)!.settings.webhooks[0]!.auth).toEqual({
      basic: { user: 'me@a.example', password: 's/ecret-1' },
    })
  }
  const shown = [
    inUrl.body,
    asKey.body,
    await server.must('GET', '/alerts'),
    await server.must('GET', '/destinations'),
    await server.must('GET', '/export'),
    await server.must('GET', '/audit'),
  ]
  expect(JSON.stringify(shown)).not.toMatch(/ecret-1/)
})

test('invalid channels are refused, and create nothing', async () => {
  await using server = await AdminServer.open()
  const refused = async (body: object) => {
    const { status, body: problem } = await server.call<ProblemDocument>(
      'POST',
      '/alerts/channels',
      { body },
    )
    return [status, problem.errors.map(({ pointer, code }) => [pointer, code])]
  }
  expect(await refused({ ...SLACK, url: 'ftp://a.example' })).toEqual([
    422,
    [['/url', 'scheme_not_allowed']],
  ])
  const mail = (url: string) => refused({ url, format: 'email' })
  for (const [url, code] of [
    ['https://a.example', 'scheme_not_allowed'],
    ['smtp://a.example/', 'invalid_url'],
    ['smtp://a.example/?to=a', 'invalid_url'],
    ['smtp://a.example/?to=a@b.example&bcc=c@b.example', 'invalid_url'],
    ['smtp://a.example/path?to=a@b.example', 'invalid_url'],
    ['smtp://a.example:22/?to=a@b.example', 'port_not_allowed'],
    ['smtp:///?to=a@b.example', 'invalid_url'],
    ['smtp://a.example/?to={{userId}}@a.example', 'invalid_url'],
  ] as const)
    expect(await mail(url)).toEqual([422, [['/url', code]]])
  expect(await refused({ ...SLACK, url: 'smtp://a.example/?to=a@b.example' })).toEqual([
    422,
    [['/url', 'scheme_not_allowed']],
  ])
  expect(await refused({ ...SLACK, key: 'k' })).toEqual([422, [['/key', 'not_allowed']]])
  expect(await refused({ ...SLACK, headers: { Host: 'a' } })).toEqual([
    422,
    [['/headers/Host', 'reserved_header']],
  ])
  expect((await refused({ ...SLACK, format: 'fax' }))[0]).toBe(422)
  expect(server.backend.catalog.current.sources.size).toBe(0)
})

test('the built-in source cannot be changed, deleted, or given a write key', async () => {
  await using server = await AdminServer.open()
  await add(server, SLACK)
  const before = server.backend.catalog.current.sources.get('src_hookline')
  const path = '/sources/src_hookline'
  const calls = [
    await server.call<ProblemDocument>('PATCH', path, { body: { enabled: false } }),
    await server.call<ProblemDocument>('DELETE', path),
    await server.call<ProblemDocument>('POST', `${path}/write-keys`, { body: {} }),
  ]
  expect(calls.map(({ status, body }) => [status, body.code])).toEqual(
    calls.map(() => [409, 'invalid_state']),
  )
  expect(server.backend.catalog.current.sources.get('src_hookline')).toEqual(before)
})

test('an export contains the channels, and an import can create the source but not replace it', async () => {
  await using server = await AdminServer.open()
  const { id } = await add(server, SLACK)
  interface Document {
    readonly sources: readonly object[]
    readonly destinations: readonly { readonly id: string }[]
  }
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  expect(document.sources).toEqual([])
  expect(document.destinations.map((each) => each.id)).toEqual([id])
  await using other = await AdminServer.open()
  const imported = await other.must<object>('PUT', '/import', { body: document })
  expect(imported).toMatchObject({ created: ['src_hookline', id], notInDocument: [] })
  expect(await other.must('PUT', '/import', { body: document })).toMatchObject({
    created: [],
    changed: [],
  })
  const source = { id: 'src_hookline', name: 'mine', enabled: false, rateLimit: null }
  const body = { ...document, sources: [source] }
  expect((await other.call('PUT', '/import', { body })).status).toBe(422)
})

const TITLE = 'Sample (example.com): This is a test alert. Nothing is wrong.'
const DETAILS = 'Host: example.com, Class: http_5xx, Since: 2026-01-15 12:00:00 UTC'
const CONSOLE_URL = 'https://hookline.example/console'
const LINK = `${CONSOLE_URL}/alerts`
const LINES = `Webhook Failing: ${TITLE}\n${DETAILS}\nNo action is needed.`

/** The body that each service gets for the sample. */
const BODIES: Readonly<Record<Exclude<ChannelFormatName, 'email'>, unknown>> = {
  slack: { text: `${LINES}\n<${LINK}|Open in Hookline>` },
  teams: {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', wrap: true, weight: 'bolder', text: `Webhook Failing: ${TITLE}` },
            { type: 'TextBlock', wrap: true, text: DETAILS },
            { type: 'TextBlock', wrap: true, text: 'No action is needed.' },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in Hookline', url: LINK }],
        },
      },
    ],
  },
  discord: { content: `${LINES}\n${LINK}`, allowed_mentions: { parse: [] } },
  pagerduty: {
    event_action: 'trigger',
    dedup_key: 'webhook_failing destination dst_sample',
    payload: {
      summary: `Webhook Failing: ${TITLE}`,
      source: 'hookline',
      severity: 'critical',
      timestamp: '2026-01-15T12:00:00.000Z',
      component: 'Sample',
      custom_details: sampleAlert(NOON, CONSOLE_URL).properties,
    },
    links: [{ href: LINK, text: 'Open in Hookline' }],
  },
  opsgenie: {
    message: `Webhook Failing: ${TITLE}`,
    alias: 'webhook_failing destination dst_sample',
    description: `${LINES}\n${LINK}`,
    entity: 'Sample',
    source: 'hookline',
    priority: 'P1',
  },
  alertmanager: [
    {
      labels: {
        alertname: 'webhook_failing',
        severity: 'failing',
        key: 'webhook_failing destination dst_sample',
        id: 'dst_sample',
      },
      annotations: {
        summary: `Webhook Failing: ${TITLE}`,
        description: `${DETAILS}\nNo action is needed.`,
      },
      generatorURL: LINK,
      startsAt: '2026-01-15T12:00:00.000Z',
      endsAt: '2026-01-16T12:00:00.000Z',
    },
  ],
  webhook: {
    version: 1,
    type: 'track',
    messageId: 'sample-track',
    userId: 'dst_sample',
    event: 'Webhook Failing',
    properties: sampleAlert(NOON, CONSOLE_URL).properties,
    context: { library: { name: 'hookline' } },
    timestamp: '2026-01-15T12:00:00.000Z',
  },
}

const HTTP_FORMATS = Object.keys(BODIES) as (keyof typeof BODIES)[]

test.each(HTTP_FORMATS)('a test of a %s channel sends an alert', async (format) => {
  await using transforms = new Transforms()
  await using receiver = await new Receiver({}).listen()
  const sender = openSender()
  const testDeliveries = new TestDeliverySender({ sender, transforms, clock: systemClock })
  await using server = await AdminServer.open({ testDeliveries })
  const { id } = await add(server, { url: receiver.url, format })
  await server.must('POST', `/destinations/${id}/test`, { body: { type: 'track' } })
  expect(receiver.requests.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
    BODIES[format],
  ])
})

test('a name cannot mention everyone in Slack', async () => {
  const properties = { title: '<!channel> & more', remedy: 'R', link: '/' }
  const payload = JSON.stringify({ event: 'Webhook Failing', properties })
  await using transforms = new Transforms()
  const { transform } = CHANNEL_FORMATS.slack
  expect(await transforms.apply(transform, Buffer.from(payload))).toEqual({
    json: JSON.stringify({ text: 'Webhook Failing: &lt;!channel&gt; &amp; more\nR\n/' }),
  })
})

/** The body that a service gets for an alert with these properties. */
async function bodyFor(format: keyof typeof CHANNEL_FORMATS, properties: object): Promise<string> {
  await using transforms = new Transforms()
  const { transform }: ChannelFormat = CHANNEL_FORMATS[format]
  const payload = Buffer.from(JSON.stringify({ event: 'Disk Low', properties }))
  return ((await transforms.apply(transform!, payload)) as { json: string }).json
}

test.each(CHANNEL_FORMAT_NAMES.filter((format) => format !== 'webhook'))(
  'without consoleUrl and details, %s gets no invalid link',
  async (format) => {
    const properties = {
      title: 'T',
      remedy: 'R',
      count: null,
      since: null,
      link: '/console/system',
    }
    const body = await bodyFor(format, properties)
    expect(body).not.toMatch(/Open in Hookline|generatorURL|Count|Since/)
    if (format !== 'alertmanager' && format !== 'pagerduty')
      expect(body).toContain('/console/system')
  },
)

test('a long message for Discord keeps its link', async () => {
  const properties = { title: 'T'.repeat(3_000), remedy: 'R', link: LINK }
  const { content } = JSON.parse(await bodyFor('discord', properties)) as { content: string }
  expect(content).toHaveLength(2_000)
  expect(content.endsWith(`\n${LINK}`)).toBe(true)
})

test('a recovery resolves the incident in PagerDuty', async () => {
  const properties = { key: 'k', state: 'ended', title: 'T', severity: 'failing' }
  const payload = JSON.stringify({ event: 'Webhook Recovered', properties })
  await using transforms = new Transforms()
  const { transform } = CHANNEL_FORMATS.pagerduty
  const applied = await transforms.apply(transform, Buffer.from(payload))
  expect(JSON.parse((applied as { json: string }).json)).toMatchObject({
    event_action: 'resolve',
    dedup_key: 'k',
  })
})

test('Opsgenie alerts are closed through a second URL', async () => {
  await using server = await AdminServer.open()
  const url = 'https://api.eu.opsgenie.example/v2/alerts'
  const created = await add(server, { url, format: 'opsgenie', key: 'secret-1' })
  expect(created.settings).toMatchObject({
    successPolicy: 'each',
    webhooks: [
      { url, headers: { Authorization: { set: true } } },
      {
        url: `${url}/{{properties.key}}/close?identifierType=alias`,
        headers: { Authorization: { set: true } },
      },
    ],
  })
  // The wrong scheme affects both URLs, the length only the second one: one error in either case.
  for (const invalid of ['ftp://a.example', url + 'x'.repeat(2_048 - url.length)]) {
    const { body } = await server.call<ProblemDocument>('POST', '/alerts/channels', {
      body: { url: invalid, format: 'opsgenie' },
    })
    expect(body.errors.map(({ pointer }) => pointer)).toEqual(['/url'])
  }
})

test('a recovery has the same labels in Alertmanager as the failure, so that it resolves the alert', async () => {
  await using transforms = new Transforms()
  const { transform } = CHANNEL_FORMATS.alertmanager
  const labelsOf = async (event: string, state: string): Promise<unknown> => {
    const properties = { key: 'k', condition: 'webhook_failing', state, severity: 'failing' }
    const alert = { event, properties, userId: 'dst_a', timestamp: '2026-01-15T12:00:00.000Z' }
    const applied = await transforms.apply(transform, Buffer.from(JSON.stringify(alert)))
    return (JSON.parse((applied as { json: string }).json) as [{ labels: unknown }])[0].labels
  }
  expect(await labelsOf('Webhook Recovered', 'ended')).toEqual(
    await labelsOf('Webhook Failing', 'started'),
  )
})
