import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { ReceivedAudiences } from '@hookline/testing/audiences/received-audiences'
import type { ManagementApi } from '@hookline/testing/service/management-api'
import { KillableService } from './killable-service.ts'
import { UserLoad } from './user-load.ts'
import { SEED } from '@hookline/testing/run/seed'

const KILLS = caseCount('HOOKLINE_TEST_KILLS', 60)
const PRO = { trait: 'plan', op: 'equals', value: 'pro' }

interface Audience {
  readonly id: string
  readonly key: string
  readonly state: string
  readonly version: number
  readonly destinationIds: readonly string[]
  readonly lastSync: { readonly missed: number } | null
}

/** The stored members, in order. */
async function membersOf(api: ManagementApi, id: string): Promise<readonly string[]> {
  const users: string[] = []
  for (let cursor = ''; ;) {
    const page = await api.call<{ data: { userId: string }[]; nextCursor: string | null }>(
      'GET',
      `audiences/${id}/members?limit=200${cursor}`,
    )
    users.push(...page.data.map(({ userId }) => userId))
    if (page.nextCursor === null) return users.toSorted()
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

const create = (
  api: ManagementApi,
  name: string,
  destinationIds: readonly string[],
  condition: object,
) => api.call<Audience>('POST', 'audiences', { name, destinationIds, condition, enabled: true })

test(`after ${KILLS} kills, the members at each receiver match the stored ones`, async () => {
  const random = seededRandom(SEED)
  const views = [new ReceivedAudiences(), new ReceivedAudiences()]
  const open = (view: ReceivedAudiences) =>
    openReceiver({
      respond: ({ body }) => {
        if (random() < 0.1) return 500
        view.receive(body)
        return 200
      },
    })
  await using first = await open(views[0]!)
  await using second = await open(views[1]!)
  const urls = [first.url, second.url].map((url) => ({
    urls: [url],
    successPolicy: 'any' as const,
  }))
  await using service = await KillableService.open(urls)
  const [one, two] = service.destinationIds as [string, string]
  const { id: pro } = await create(service.api, 'Pro', [one], PRO)
  const recent = { event: 'Order', count: { op: '>=', n: 2 }, within: { seconds: 3 } }
  await create(service.api, 'Buyers', [two], recent)
  await create(service.api, 'Both', [one, two], { and: [{ audience: pro }, { not: recent }] })
  const load = new UserLoad(random)
  await service.killUnderLoad(load, {
    kills: KILLS,
    maxUptimeMs: 1_500,
    random,
    during: async (run) => {
      const { api } = service
      // Also kills first syncs, later syncs, and syncs to an added destination.
      if (run % 6 === 1)
        await create(api, `Late ${run}`, [one], { event: 'Order', count: { op: '>=', n: run } })
      if (run % 4 === 2) await api.call('POST', `audiences/${pro}/sync`)
      if (run === 3) await api.call('PATCH', `audiences/${pro}`, { destinationIds: [one, two] })
    },
  })

  const { api } = service
  const { data: audiences } = await api.call<{ data: Audience[] }>('GET', 'audiences?limit=100')
  const differences = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const { id, key } of audiences) {
      const { state, destinationIds } = await api.call<Audience>('GET', `audiences/${id}`)
      if (state !== 'live') found.push(`${key} is ${state}`)
      const members = await membersOf(api, id)
      for (const destinationId of destinationIds) {
        const received = views[destinationId === one ? 0 : 1]!.members(key)
        if (received.join() !== members.join())
          found.push(`${key}: ${received.length} received, ${members.length} stored`)
      }
    }
    return found
  }
  await expect.poll(differences, { timeout: 120_000, interval: 500 }).toEqual([])
  expect(views.flatMap(({ contradictions }) => contradictions)).toEqual([])
  const calls = views.reduce((sum, { count }) => sum + count, 0)
  console.log(
    `seed ${SEED}: ${KILLS} kills, ${audiences.length} audiences, ${load.accepted} batches answered 200, ${calls} identify calls received`,
  )
  expect(calls).toBeGreaterThan(KILLS)
  await service.stop()
})
