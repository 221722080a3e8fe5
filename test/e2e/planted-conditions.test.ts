import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@hookline/protocol'
import { describe, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { TESTED_BACKEND } from '@hookline/testing/service/tested-backend'
import { type Alert, alertsIn, openChannel, problemsOf, textOf } from './received-alerts.ts'

const CONSOLE = 'https://hookline.example/console'
const SETTINGS = { consoleUrl: CONSOLE }
const WINDOW_SECONDS = 16

/** The alerts, except those about low disk space on this machine. */
const alertsOf = (channel: Receiver): Alert[] =>
  alertsIn(channel).filter(({ event }) => event !== 'Disk Low')

const alertsNamed = (channel: Receiver, name: string): Alert[] =>
  alertsOf(channel).filter(({ event }) => event === name)

const namesIn = (channel: Receiver): string[] => alertsOf(channel).map(({ event }) => event)

/** Restarts the service, which checks all conditions at startup. */
async function checkAgain(service: RunningService): Promise<void> {
  await service.restart()
  await sleep(1_000)
}

/** Changes one row, as a bug or corruption would. */
function changeRow({ dataDir }: RunningService, sql: string, ...values: SQLInputValue[]): void {
  using db = openDatabaseOfRunningService(dataDir)
  if (db.prepare(sql).run(...values).changes !== 1) throw new Error('Nothing was changed.')
}

interface ShownDelivery {
  readonly id: string
  readonly state: string
  readonly webhooks: readonly { readonly firstDueAt: string }[]
}

async function deliveryTo({ api }: RunningService, id: string): Promise<ShownDelivery> {
  const { data } = await api.call<{ data: ShownDelivery[] }>(
    'GET',
    `deliveries?destinationId=${id}`,
  )
  return data[0]!
}

// These tests mostly wait for the next check, or for the end of a retry window, so they run
// concurrently. Concurrent tests need their own `expect`.
test.concurrent('a condition without an alert is only listed as a problem', async ({ expect }) => {
  await using service = await startService({ settings: { retentionMs: '4d' } })
  await using channel = await openChannel(service)
  const responses: Readonly<Record<string, ReceiverResponse>> = {
    '/rejecting m-2': 400,
    '/throttling m-2': { status: 429, headers: { 'Retry-After': '600' } },
    '/disabling m-3': { status: 500, headers: { 'webhook-delivery': 'disable' } },
  }
  await using receiver = await openReceiver({
    respond: ({ path, body }) => {
      const { messageId } = JSON.parse(body.toString()) as { messageId: string }
      return responses[`${path} ${messageId}`] ?? 200
    },
  })
  const { origin } = new URL(receiver.url)
  const at = (path: string) => service.createDestination({ urls: [`${origin}/${path}`] })
  const rejecting = await at('rejecting')
  const throttling = await at('throttling')
  const disabling = await at('disabling')
  const held = await at('held')
  await service.api.call('POST', `destinations/${held}/pause`)
  // Without an audience or computed trait, ids are not linked.
  await service.api.call('POST', 'audiences', { name: 'List', destinationIds: [], manual: true })
  await service.track('m-1')
  await service.endOf('m-1')
  const { id: sourceId } = await service.createSource()
  const webhooks = [{ url: `${origin}/unused`, limits: { retryWindow: '3d' } }]
  const destinations = Array.from({ length: 501 }, () => ({
    id: newId('dst', Date.now()),
    sourceId,
    type: 'Webhooks',
    name: 'Long window',
    enabled: true,
    settings: { webhooks },
  }))
  await service.api.call('PUT', 'import', { hookline: 1, sources: [], destinations })
  await service.restart({ retentionMs: '2d' })
  await service.track('m-2', { anonymousId: 'undefined' })
  const conditions = async (): Promise<string[]> => [
    ...new Set((await problemsOf(service)).map(({ condition }) => condition)),
  ]
  const shown = [
    'deliveries_rejected',
    'retry_window_too_long',
    'destinations_skipped',
    'deliveries_held',
    'receiver_throttles',
    'ids_unlinked',
  ]
  await expect.poll(conditions).toEqual(shown)
  const problems = await problemsOf(service)
  const found = (condition: string) => problems.find((each) => each.condition === condition)
  expect(shown.map(found)).toMatchObject([
    {
      subject: { id: rejecting },
      title: expect.stringMatching(/^Webhooks: 1 delivery was rejected in the last hour\. /),
      to: `/failures?destination=${rejecting}`,
    },
    {
      title: `Long window (${new URL(origin).host}): The retry window is as long as retention, or longer.`,
      to: expect.stringMatching(/^\/destinations\/dst_\w+\?tab=settings$/),
    },
    {
      title: expect.stringMatching(/^\d+ destinations? (was|were) not checked/),
      to: '/destinations',
    },
    {
      subject: { id: held },
      title: 'Webhooks: Paused by an operator. 2 deliveries held.',
      to: `/destinations/${held}`,
    },
    {
      subject: { id: throttling },
      title: expect.stringContaining('The receiver sent Retry-After'),
      remedy: expect.stringContaining('Retry now'),
      to: `/destinations/${throttling}`,
    },
    {
      subject: { id: service.source.id },
      title: expect.stringMatching(/^Test: 1 call .* had a placeholder id/),
      to: `/sources?source=${service.source.id}`,
    },
  ])
  // A later check finds all of these conditions again, but sends only this alert.
  await service.track('m-3')
  await expect.poll(() => namesIn(channel)).toEqual(['Webhook Paused'])
  expect(alertsOf(channel)).toMatchObject([{ userId: disabling }])
})

describe.concurrent('operators get an alert about', () => {
  test('deliveries that are about to expire, and deliveries that have expired, at the end of their retry window', async ({
    expect,
  }) => {
    await using service = await startService({ settings: SETTINGS })
    await using channel = await openChannel(service)
    await using receiver = await openReceiver({
      respond: ({ body }) => ({ status: 500, body: `planted-response ${body.toString()}` }),
    })
    const limits = { retryWindow: `${WINDOW_SECONDS}s`, retrySchedule: ['6s'] }
    const webhookAt = (path: string) => ({ url: `${receiver.url}/planted-${path}`, limits })
    const failing = await service.createDestination({ webhooks: [webhookAt('failing')] })
    const held = await service.createDestination({ webhooks: [webhookAt('held')] })
    await service.api.call('POST', `destinations/${held}/pause`)
    await service.track('m-1', { userId: 'planted-user' })
    // Held deliveries do not expire: their retry window starts again when they are resumed.
    await sleep(WINDOW_SECONDS * 500)
    await service.api.call('POST', `destinations/${held}/resume`)
    const expiring = (id: string): Alert[] =>
      alertsNamed(channel, 'Deliveries Expiring').filter(({ userId }) => userId === id)
    for (const id of [failing, held]) {
      await expect.poll(() => expiring(id)).toHaveLength(1)
      const [{ firstDueAt }] = (await deliveryTo(service, id)).webhooks as [{ firstDueAt: string }]
      const expiresAt = new Date(Date.parse(firstDueAt) + WINDOW_SECONDS * 1_000).toISOString()
      const { host } = new URL(receiver.url)
      expect(expiring(id)).toMatchObject([
        {
          properties: {
            condition: 'deliveries_expiring',
            severity: 'failing',
            state: 'started',
            host,
            count: 1,
            title: `Webhooks (${host}): The pending delivery expires at ${expiresAt}.`,
            remedy: expect.stringContaining('held deliveries do not expire'),
            link: `${CONSOLE}/destinations/${id}`,
          },
        },
      ])
    }
    const expired = (): Alert[] => alertsNamed(channel, 'Deliveries Expired')
    await expect.poll(() => expired().map(({ userId }) => userId)).toEqual([failing, held])
    expect((await deliveryTo(service, failing)).state).toBe('expired')
    expect(expired()[0]).toMatchObject({
      properties: {
        condition: 'deliveries_expired',
        severity: 'data_loss',
        state: 'started',
        count: 1,
        title: 'Webhooks: 1 delivery expired and has not been replayed.',
        remedy: expect.stringContaining("replay the destination's failed deliveries"),
        link: `${CONSOLE}/failures?destination=${failing}`,
      },
    })
    // Only a reported failure has a reported end.
    await expect.poll(() => alertsNamed(channel, 'Webhook Failing')).toHaveLength(2)
    // The remedy works. Only the end of the failure is reported.
    receiver.respond = () => 200
    for (const destinationId of [failing, held])
      await service.api.call('POST', 'replays', { destinationId, states: ['expired'] })
    await expect.poll(() => alertsNamed(channel, 'Webhook Recovered')).toHaveLength(2)
    await checkAgain(service)
    expect(await problemsOf(service)).toEqual([])
    expect(namesIn(channel).toSorted()).toEqual(
      ['Deliveries Expired', 'Deliveries Expiring', 'Webhook Failing', 'Webhook Recovered'].flatMap(
        (name) => [name, name],
      ),
    )
    expect(textOf(channel)).not.toContain('planted')
  })

  test.skipIf(TESTED_BACKEND === 'cluster')('missed audience changes', async ({ expect }) => {
    await using service = await startService({ settings: { ...SETTINGS, logLevel: 'info' } })
    await using channel = await openChannel(service)
    const traits = { plan: 'planted-plan' }
    await service.send('/v1/identify', { type: 'identify', userId: 'planted-user', traits })
    const condition = { trait: 'plan', op: 'equals', value: 'planted-plan' }
    const { id } = await service.api.call<{ id: string }>('POST', 'audiences', {
      name: 'Pro',
      destinationIds: [],
      condition,
    })
    interface Audience {
      readonly state: string
      readonly size: number
      readonly sync: unknown
    }
    const audience = () => service.api.call<Audience>('GET', `audiences/${id}`)
    await expect.poll(audience).toMatchObject({ state: 'live', size: 1 })
    changeRow(service, 'DELETE FROM results')
    expect(await audience()).toMatchObject({ size: 0 })
    await service.api.call('POST', `audiences/${id}/sync`)
    await expect.poll(audience).toMatchObject({ size: 1 })
    await expect.poll(() => namesIn(channel)).toEqual(['Sync Missed'])
    expect(alertsOf(channel)).toMatchObject([
      {
        userId: 'hookline',
        properties: {
          condition: 'sync_missed',
          severity: 'attention',
          state: 'started',
          count: 1,
          title: 'Pro: the last sync found 1 missed change.',
          remedy: expect.stringContaining('the log line sync.finished'),
          link: `${CONSOLE}/audiences/${id}`,
        },
      },
    ])
    expect(service.logLines).toContainEqual(
      expect.objectContaining({ msg: 'sync.finished', missed: 1 }),
    )
    await service.api.call('POST', `audiences/${id}/sync`)
    await checkAgain(service)
    await expect.poll(() => problemsOf(service)).toEqual([])
    expect(namesIn(channel)).toEqual(['Sync Missed'])
    expect(textOf(channel)).not.toContain('planted')
  })

  test('calls with an unknown write key and calls over the rate limit, without their content', async ({
    expect,
  }) => {
    await using service = await startService({ settings: SETTINGS })
    await using channel = await openChannel(service)
    const { id, writeKey } = service.source
    await service.api.call('PATCH', `sources/${id}`, { rateLimit: 1 })
    const call = { type: 'track', event: 'planted-event', userId: 'planted-user' }
    const unknown = { id, writeKey: 'planted-key' }
    for (let sent = 0; sent < 3; sent += 1)
      expect((await service.send('/v1/track', call, unknown)).status).toBe(401)
    let limited = 0
    for (let sent = 0; sent < 9; sent += 1)
      if ((await service.send('/v1/track', call)).status === 429) limited += 1
    expect(limited).toBeGreaterThan(1)
    await expect
      .poll(() => namesIn(channel).toSorted())
      .toEqual(['Rate Limit Exceeded', 'Write Key Unknown'])
    expect(alertsNamed(channel, 'Write Key Unknown')).toMatchObject([
      {
        userId: 'hookline',
        properties: {
          condition: 'write_key_unknown',
          severity: 'attention',
          state: 'started',
          name: 'Unknown source',
          count: 3,
          title: '3 calls were refused, because the write key is missing or unknown.',
          remedy: expect.stringContaining('use the write key of an existing source'),
          link: `${CONSOLE}/sources`,
        },
      },
    ])
    expect(alertsNamed(channel, 'Rate Limit Exceeded')).toMatchObject([
      {
        userId: id,
        properties: {
          condition: 'rate_limit_exceeded',
          severity: 'attention',
          state: 'started',
          name: 'Test',
          count: limited,
          title: `Test: ${limited} calls were refused, because the source exceeded its rate limit.`,
          remedy: expect.stringContaining("Raise the source's rate limit"),
          link: `${CONSOLE}/sources?source=${id}`,
        },
      },
    ])
    await checkAgain(service)
    expect(namesIn(channel)).toHaveLength(2)
    expect(textOf(channel)).not.toContain('planted')
    expect(textOf(channel)).not.toContain(writeKey)
  })

  test.skipIf(TESTED_BACKEND === 'cluster')(
    'a delivery in quarantine, and another alert after it has left',
    async ({ expect }) => {
      await using service = await startService({ settings: SETTINGS })
      await using channel = await openChannel(service)
      await using receiver = await openReceiver()
      const id = await service.createDestination({ urls: [`${receiver.url}/planted-path`] })
      await service.api.call('POST', `destinations/${id}/pause`)
      await service.track('m-1', { userId: 'planted-user' })
      await service.endOf('m-1')
      const change = 'UPDATE events SET body = replace(body, ?, ?) WHERE message_id = ?'
      changeRow(service, change, 'planted-user', 'planted-hser', 'm-1')
      await service.api.call('POST', `destinations/${id}/resume`)
      await expect.poll(() => namesIn(channel)).toEqual(['Quarantine'])
      const shared = { condition: 'quarantine', severity: 'data_loss', link: `${CONSOLE}/failures` }
      expect(alertsOf(channel)).toMatchObject([
        {
          userId: 'hookline',
          properties: {
            ...shared,
            state: 'started',
            count: 1,
            title: '1 event or delivery is in quarantine.',
            remedy: expect.stringMatching(/quarantine\.added[^]*retry the deliveries/),
          },
        },
      ])
      expect(service.logLines).toContainEqual(expect.objectContaining({ msg: 'quarantine.added' }))
      expect(receiver.requests).toEqual([])
      changeRow(service, change, 'planted-hser', 'planted-user', 'm-1')
      await service.api.call('POST', `deliveries/${(await deliveryTo(service, id)).id}/retry`)
      expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
      await expect.poll(() => alertsOf(channel)).toHaveLength(2)
      expect(alertsOf(channel)[1]).toMatchObject({
        event: 'Quarantine',
        properties: {
          ...shared,
          state: 'ended',
          title: 'The quarantine is empty.',
          remedy: 'No action is needed.',
        },
      })
      await checkAgain(service)
      expect(namesIn(channel)).toHaveLength(2)
      expect(await problemsOf(service)).toEqual([])
      expect(textOf(channel)).not.toContain('planted')
    },
  )

  test('a client certificate that expires soon, and another alert once it is replaced', async ({
    expect,
  }) => {
    using folder = new TemporaryFolder()
    const tlsCaFile = join(folder.path, 'ca.pem')
    const { ca, good, clients } = makeCertificates()
    writeFileSync(tlsCaFile, ca)
    await using receiver = await openReceiver({ tls: good, clientCa: ca })
    await using service = await startService({ settings: { ...SETTINGS, tlsCaFile } })
    await using channel = await openChannel(service)
    const webhookWith = ({ cert: certificate, key }: { cert: string; key: string }) => ({
      url: `${receiver.url}/planted-path`,
      auth: { clientCertificate: { certificate, key } },
    })
    // The certificate is valid for one more day.
    const id = await service.createDestination({ webhooks: [webhookWith(good)] })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
    await expect.poll(() => namesIn(channel)).toEqual(['Certificate Expiring'])
    const { host } = new URL(receiver.url)
    const shared = { condition: 'certificate_expiring', severity: 'attention', host }
    const link = `${CONSOLE}/destinations/${id}?tab=settings`
    expect(alertsOf(channel)).toMatchObject([
      {
        userId: id,
        properties: {
          ...shared,
          state: 'started',
          title: expect.stringMatching(
            new RegExp(`^Webhooks \\(${host}\\): The client certificate expires at 20\\S+Z\\.$`),
          ),
          remedy: 'Set a new certificate with its key.',
          link,
        },
      },
    ])
    const settings = { webhooks: [webhookWith(clients[0])] }
    await service.api.call('PATCH', `destinations/${id}`, { settings })
    await expect.poll(() => alertsOf(channel)).toHaveLength(2)
    expect(alertsOf(channel)[1]).toMatchObject({
      event: 'Certificate Expiring',
      userId: id,
      properties: {
        ...shared,
        state: 'ended',
        title: 'Webhooks: the client certificate was replaced or removed.',
        remedy: 'No action is needed.',
        link,
      },
    })
    await checkAgain(service)
    await service.track('m-2')
    expect((await service.endOf('m-2')).deliveries).toMatchObject([{ state: 'delivered' }])
    expect(receiver.requests.at(-1)!.client).toBe('client-a')
    expect(namesIn(channel)).toHaveLength(2)
    expect(textOf(channel)).not.toMatch(/planted|PRIVATE KEY|BEGIN/)
  })
})
