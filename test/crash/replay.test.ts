import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { SEED } from '@hookline/testing/run/seed'

const ADMIN_TOKEN = 'tok_crash_test'
const EVENTS = 2000
// The replay takes ten seconds, so that it is interrupted several times even on a slow machine.
const RATE_PER_SECOND = 200
const MAX_UPTIME_MS = 400

const settings = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_LOG_LEVEL: 'error',
}

interface Replay {
  readonly id: string
  readonly state: string
  readonly requeued: number
}

test('a replay whose process is killed repeatedly requeues every delivery exactly once', async () => {
  const random = seededRandom(SEED)
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver({ respond: 400 })
  const options = { port: await freePort(), dataDir: folder.path, settings }
  const start = async (): Promise<ServiceProcess> => {
    const service = new ServiceProcess(options)
    expect(await service.ready(), service.stderr).toBe(true)
    return service
  }

  let service = await start()
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const destinationId = await setUp(api, service.url, receiver.url)
  const counted = { destinationId, dryRun: true }
  await expect
    .poll(() => api.call('POST', 'replays', counted))
    .toEqual({ dryRun: true, matches: EVENTS })
  receiver.requests.length = 0
  receiver.respond = () => 200
  const body = { destinationId, ratePerSecond: RATE_PER_SECOND }
  const { id } = await api.call<Replay>('POST', 'replays', body)
  let kills = 0
  for (;;) {
    await sleep(random() * MAX_UPTIME_MS)
    await service.kill()
    kills += 1
    service = await start()
    const { state } = await api.call<Replay>('GET', `replays/${id}`)
    if (state === 'finished') break
  }
  expect(await api.call('GET', `replays/${id}`)).toMatchObject({ requeued: EVENTS })
  const delivered = (): number =>
    new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size
  await expect.poll(delivered).toBe(EVENTS)
  expect(await service.stop(), service.stderr).toBe(0)
  console.log(`seed ${SEED}: ${kills} kills, ${receiver.requests.length - EVENTS} duplicates`)
  expect(kills).toBeGreaterThan(2)
})

/** Creates a source with a destination that refuses every delivery. Resolves with the id of the destination. */
async function setUp(api: ManagementApi, url: string, webhookUrl: string): Promise<string> {
  const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'S',
  })
  const destination = await api.call<{ id: string }>('POST', 'destinations', {
    sourceId: source.id,
    type: 'Webhooks',
    enabled: true,
    settings: { webhookUrl },
  })
  for (let sent = 0; sent < EVENTS; sent += 500) {
    const batch = Array.from({ length: 500 }, () => ({ type: 'page', userId: 'u1' }))
    const response = await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${source.writeKeys[0].key}:`)}` },
      body: JSON.stringify({ batch }),
    })
    expect(response.status).toBe(200)
  }
  return destination.id
}
