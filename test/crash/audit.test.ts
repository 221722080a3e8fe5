import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { SEED } from '@hookline/testing/run/seed'

const ADMIN_TOKEN = 'tok_crash_test'
const KILLS = caseCount('HOOKLINE_TEST_KILLS', 20)
const MAX_UPTIME_MS = 200

const settings = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ADMIN_RATE_LIMIT: '0',
  HOOKLINE_LOG_LEVEL: 'error',
}

interface Entry {
  readonly action: string
  readonly targetId: string
  readonly after: { readonly version?: number } | null
}

/** Creates, changes and removes records until the service is killed. Reports each response. */
async function makeChanges(api: ManagementApi, onResponse: () => void): Promise<void> {
  let responses = 0
  const created = { id: '' }
  const step = async (method: string, path: string, body?: object): Promise<void> => {
    const record = await api.call<{ id: string } | undefined>(method, path, body)
    if (method === 'POST' && record !== undefined) created.id = record.id
    responses += 1
    onResponse()
  }
  try {
    for (;;) {
      await step('POST', 'sources', { name: 'web' })
      await step('PATCH', `sources/${created.id}`, { name: 'shop' })
      await step('POST', 'tokens', { name: 'ci', role: 'viewer' })
      if (responses % 2 === 0) await step('DELETE', `tokens/${created.id}`)
    }
  } catch {
    // The service was killed.
  }
}

/** The version of each record after its last change in the audit log; `null` if it was removed. */
function versionsIn(entries: readonly Entry[]): Map<string, number | null> {
  const oldestFirst = entries.toReversed()
  return new Map(
    oldestFirst.map(({ targetId, after }) => [targetId, after && (after.version ?? 1)]),
  )
}

async function versionsOf(api: ManagementApi): Promise<Map<string, number>> {
  const sources = await api.listAll<{ id: string; version: number }>('sources')
  const tokens = await api.listAll<{ id: string }>('tokens')
  return new Map([
    ...sources.map(({ id, version }) => [id, version] as const),
    ...tokens.map(({ id }) => [id, 1] as const),
  ])
}

test(`over ${KILLS} kills, the audit log has an entry for every change, and none for a change that was lost`, async () => {
  const random = seededRandom(SEED)
  using folder = new TemporaryFolder()
  const options = { port: await freePort(), dataDir: folder.path, settings }
  const start = async (): Promise<ServiceProcess> => {
    const started = new ServiceProcess(options)
    expect(await started.ready(), started.stderr).toBe(true)
    return started
  }
  let service = await start()
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  let responses = 0
  const onResponse = (): void => void responses++
  for (let run = 0; run < KILLS; run++) {
    const before = responses
    const changing = Promise.all([1, 2, 3].map(() => makeChanges(api, onResponse)))
    await expect.poll(() => responses, { interval: 1 }).toBeGreaterThan(before + 1)
    await sleep(random() * MAX_UPTIME_MS)
    await service.kill()
    await changing
    service = await start()
  }
  const audited = versionsIn(await api.listAll<Entry>('audit'))
  const kept = await versionsOf(api)
  const withoutEntry = [...kept].filter(([id, version]) => audited.get(id) !== version)
  const withoutChange = [...audited].filter(([id, version]) => (kept.get(id) ?? null) !== version)
  expect({ withoutEntry, withoutChange }).toEqual({ withoutEntry: [], withoutChange: [] })
  console.log(`seed ${SEED}: ${KILLS} kills, ${responses} changes with a response`)
  expect(responses).toBeGreaterThan(KILLS)
  expect(await service.stop(), service.stderr).toBe(0)
})
