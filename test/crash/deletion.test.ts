import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { halfIfShort } from '@hookline/testing/run/case-count'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { callsTo, type Deletion, noticesAmong } from '@hookline/testing/deletions/deletion-calls'
import { Load } from '@hookline/testing/service/load'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { SEED } from '@hookline/testing/run/seed'

const ADMIN_TOKEN = 'tok_crash_test'
const PLANTED = 'PLANTED-VALUE'
const USERS = Array.from({ length: halfIfShort(200) }, (_, index) => `user-${index}`)
const EVENTS_EACH = 25
const DELETIONS = 4
const MAX_UPTIME_MS = 1500

const settings = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE: '50,100,200,400',
  HOOKLINE_LOG_LEVEL: 'error',
}

/** The minimum number of kills. They continue after the purge if it ends earlier. */
const MIN_KILLS = 4

/** Creates a source with three destinations: one enabled, one disabled and one paused. */
async function setUp(api: ManagementApi, receiver: Receiver) {
  interface SourceMade {
    readonly id: string
    readonly writeKeys: readonly [{ readonly key: string }]
  }
  const source = await api.call<SourceMade>('POST', 'sources', { name: 'S' })
  const make = async (path: string, enabled = true): Promise<string> => {
    const webhooks = [{ url: `${receiver.url}/${path}` }]
    const body = { sourceId: source.id, type: 'Webhooks', enabled, settings: { webhooks } }
    return (await api.call<{ id: string }>('POST', 'destinations', body)).id
  }
  await make('on')
  await make('off', false)
  const paused = await make('paused')
  await api.call('POST', `destinations/${paused}/pause`)
  return { writeKey: source.writeKeys[0].key, paused }
}

async function send(url: string, writeKey: string, batch: readonly object[]): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
  const body = JSON.stringify({ batch })
  expect((await fetch(`${url}/v1/batch`, { method: 'POST', headers, body })).status).toBe(200)
}

/** Sends events of many sizes, alternating between users to delete and others, so that database pages contain both. */
async function fill(url: string, writeKey: string, random: () => number): Promise<void> {
  for (let round = 0; round < EVENTS_EACH; round++) {
    const calls = USERS.flatMap((userId) => {
      const text = 'x'.repeat(random() * 600)
      const planted = { anonymousId: `${PLANTED}-${random()}`, properties: { text, it: PLANTED } }
      return [
        { type: 'track', event: 'Mine', userId, ...planted },
        { type: 'track', event: 'Other', userId: `other-${userId}`, properties: { text } },
      ]
    })
    await send(url, writeKey, calls)
  }
}

async function requestDeletions(api: ManagementApi): Promise<() => Promise<Deletion[]>> {
  const ids: string[] = []
  for (let part = 0; part < DELETIONS; part++) {
    const userIds = USERS.filter((_, index) => index % DELETIONS === part)
    const body = { userIds, suppress: true }
    ids.push((await api.call<Deletion>('POST', 'deletions', body)).id)
  }
  return () => Promise.all(ids.map((id) => api.call<Deletion>('GET', `deletions/${id}`)))
}

test('deletions under load and repeated kills remove every user, notify every receiver and lose no other call', async () => {
  const random = seededRandom(SEED)
  using folder = new TemporaryFolder()
  // Error responses echo the request, so that stored attempts also contain user data.
  await using receiver = await openReceiver({
    respond: ({ body }) => (random() < 0.2 ? { status: 500, body: body.toString() } : 200),
  })
  const options = { port: await freePort(), dataDir: folder.path, settings }
  const start = async (): Promise<ServiceProcess> => {
    const started = new ServiceProcess(options)
    expect(await started.ready(), started.stderr).toBe(true)
    return started
  }
  let service = await start()
  const { url } = service
  const api = new ManagementApi(url, ADMIN_TOKEN)
  const { writeKey, paused } = await setUp(api, receiver)
  await fill(url, writeKey, random)
  expect(filesWith(folder.path, PLANTED)).toContain('hookline.db')

  const deletions = await requestDeletions(api)
  const load = new Load(random)
  let kills = 0
  for (let isPurged = false; !isPurged || kills < MIN_KILLS; kills++) {
    const stop = new AbortController()
    const sending = load.run(url, writeKey, stop.signal)
    await sleep(random() * MAX_UPTIME_MS)
    await service.kill()
    stop.abort()
    await sending
    service = await start()
    isPurged = (await deletions()).every(({ purgedAt }) => purgedAt !== null)
  }
  await api.call('POST', `destinations/${paused}/resume`)
  const states = async () => new Set((await deletions()).map(({ state }) => state))
  await expect.poll(states).toEqual(new Set(['finished']))
  const lost = (): number => {
    const paths = ['on', 'paused'].map((path) => callsTo(receiver, path))
    const got = paths.map((calls) => new Set(calls.map(({ messageId }) => messageId)))
    return got.reduce((sum, each) => sum + load.accepted.difference(each).size, 0)
  }
  await expect.poll(lost, { interval: 500 }).toBe(0)

  // A call from a suppressed user gets a 200 but is not stored.
  await send(url, writeKey, [{ type: 'page', userId: 'user-0', name: PLANTED }])
  const createdAt = (await deletions()).map((deletion) => deletion.createdAt)
  expect(await service.stop(), service.stderr).toBe(0)
  expect(filesWith(folder.path, PLANTED)).toEqual([])
  using database = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })

  const notices = ['on', 'off', 'paused'].map((path) => noticesAmong(callsTo(receiver, path)))
  const payload = (user: string, at: string) =>
    `{"type":"delete","userId":"${user}","timestamp":"${at}"}`
  const expected = USERS.map((user, index) =>
    payload(user, createdAt[index % DELETIONS]!),
  ).toSorted()
  expect(notices.map(({ texts }) => texts)).toEqual([expected, [], expected])
  const requests = notices.reduce((sum, each) => sum + each.requests, 0)
  console.log(
    `seed ${SEED}: ${kills} kills, ${load.accepted.size} other calls answered 200, lost ${lost()}, ` +
      `${requests} requests for ${2 * USERS.length} notices`,
  )
})
