import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { caseCount } from '@hookline/testing/run/case-count'
import { SEED } from '@hookline/testing/run/seed'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { Load } from '@hookline/testing/service/load'
import { KillableService } from './killable-service.ts'

const KILLS = caseCount('HOOKLINE_TEST_KILLS', 12)

interface Alert {
  readonly event: string
  readonly userId: string
}

/** The `webhook-id`s of each alert: a delivery may be repeated, but keeps its id. */
function deliveriesOf(channel: Receiver): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { body, headers } of channel.requests) {
    const { event, userId } = JSON.parse(body.toString()) as Alert
    const key = `${event} ${userId}`
    found.set(key, (found.get(key) ?? new Set()).add(String(headers['webhook-id'])))
  }
  return found
}

/** Names of the alerts about a destination, without repeated deliveries. */
function namesOf(channel: Receiver, id: string): readonly string[] {
  return [...deliveriesOf(channel)].flatMap(([key, ids]) =>
    key.endsWith(` ${id}`) ? [...ids].map(() => key.replace(` ${id}`, '')) : [],
  )
}

test('kills before an alert, before its delivery and before its recovery neither lose nor repeat an alert', async () => {
  await using channel = await openReceiver()
  await using receiver = await openReceiver({ respond: 503 })
  const destination = { urls: [receiver.url], successPolicy: 'any' } as const
  await using service = await KillableService.open([destination])
  const [id = ''] = service.destinationIds
  const { id: channelId } = await service.api.call<{ id: string }>('POST', 'alerts/channels', {
    url: channel.url,
    format: 'webhook',
  })
  const call = async (): Promise<void> => {
    const response = await fetch(`${service.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.writeKey}` },
      body: JSON.stringify({ userId: 'u', event: 'A' }),
    })
    expect(response.status).toBe(200)
  }
  const problems = async () =>
    (
      await service.api.call<{ data: { condition: string; subject: { id: string } }[] }>(
        'GET',
        'problems',
      )
    ).data.filter(({ subject }) => subject.id === id)
  const eventually = { timeout: 60_000 }
  await call()
  await expect.poll(problems, eventually).toHaveLength(1)
  // The condition applies, and its alert is due 15 seconds later.
  await sleep(6_000)
  expect(namesOf(channel, id)).toEqual([])
  channel.respond = () => 'silence'
  await service.restart()
  await expect.poll(() => namesOf(channel, id), eventually).toEqual(['Webhook Failing'])
  // The channel has not accepted the alert.
  const delivered = await service.api.call<{ data: object[] }>(
    'GET',
    `deliveries?state=delivered&destinationId=${channelId}`,
  )
  expect(delivered.data).toEqual([])
  await service.restart()
  channel.respond = () => 200
  receiver.respond = () => 200
  await expect.poll(problems, eventually).toEqual([])
  await service.restart()
  const both = ['Webhook Failing', 'Webhook Recovered']
  await expect.poll(() => namesOf(channel, id), eventually).toEqual(both)
  await service.restart()
  // One more check.
  await sleep(6_000)
  expect(namesOf(channel, id)).toEqual(both)
  await service.stop()
})

test(`over ${KILLS} kills, each paused webhook raises one alert`, async () => {
  const random = seededRandom(SEED)
  await using channel = await openReceiver()
  let run = 0
  // In each run, one more receiver pauses its webhook.
  await using receiver = await openReceiver({
    respond: ({ path }) =>
      Number(path.slice('/hook/'.length)) < run
        ? { headers: { 'webhook-delivery': 'disable' } }
        : 200,
  })
  const destinations = Array.from({ length: KILLS }, (_, index) => ({
    urls: [`${receiver.url}/${index}`],
    successPolicy: 'any' as const,
  }))
  await using service = await KillableService.open(destinations)
  await service.api.call('POST', 'alerts/channels', { url: channel.url, format: 'webhook' })
  await service.killUnderLoad(new Load(random, { pauseMs: 20 }), {
    kills: KILLS,
    // The watcher checks at startup, and then every five seconds.
    maxUptimeMs: 6_000,
    random,
    after: () => {
      run += 1
    },
  })
  const load = new Load(random, { pauseMs: 20 })
  const stop = new AbortController()
  const sending = load.run(service.url, service.writeKey, stop.signal)
  const expected = service.destinationIds.map((id) => `Webhook Paused ${id}`)
  const reported = (): string[] =>
    [...deliveriesOf(channel).keys()].filter((key) => key.startsWith('Webhook Paused'))
  await expect.poll(() => reported().toSorted(), { timeout: 60_000 }).toEqual(expected.toSorted())
  stop.abort()
  await sending
  const repeated = [...deliveriesOf(channel)].filter(([, ids]) => ids.size > 1)
  expect(repeated).toEqual([])
  await service.stop()
}, 300_000)
