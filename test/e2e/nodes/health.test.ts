import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import type { RunningService } from '@hookline/testing/service/running-service'
import { nodesOf, startNodes } from './start-nodes.ts'

interface Health {
  readonly webhooks: readonly { readonly breaker: string }[]
  readonly lastHour: { readonly attempts: number; readonly delivered: number }
  readonly p95LatencyMs: number | null
}

const healthOf = async ({ api }: RunningService, id: string): Promise<Health> =>
  (await api.call<{ health: Health }>('GET', `destinations/${id}`)).health

async function receivedOn({ api }: RunningService): Promise<number> {
  const { points } = await api.call<{ points: readonly { received: number }[] }>('GET', 'stats')
  return points.reduce((sum, { received }) => sum + received, 0)
}

test('each node shows current health and statistics of the whole service', async () => {
  await using receiver = await openReceiver()
  const nodes = await startNodes(2)
  const id = await nodes[0]!.createDestination({ urls: [receiver.url] })
  for (let index = 0; index < 20; index++) await nodes[index % 2]!.track(`m-${index}`)
  for (const node of nodes) {
    await expect.poll(async () => (await healthOf(node, id)).lastHour.delivered).toBe(20)
    await expect.poll(() => receivedOn(node)).toBe(20)
    expect((await healthOf(node, id)).p95LatencyMs).not.toBeNull()
  }
})

test('a breaker that opens on one node is open on the other, and can be closed for both', async () => {
  await using receiver = await openReceiver({ respond: 503 })
  const nodes = await startNodes(2)
  const id = await nodes[0]!.createDestination({ urls: [receiver.url] })
  for (let index = 0; index < 30; index++) await nodes[index % 2]!.track(`m-${index}`)
  const openOn = (node: RunningService): Promise<number> => node.metric('hookline_breaker_open')
  for (const node of nodes) await expect.poll(() => openOn(node)).toBe(1)
  for (const node of nodes)
    expect((await healthOf(node, id)).webhooks).toMatchObject([{ breaker: 'open' }])
  receiver.respond = () => 200
  await nodes[1]!.api.call('POST', `destinations/${id}/close-breaker`)
  for (const node of nodes) await expect.poll(() => openOn(node)).toBe(0)
  await expect.poll(async () => (await healthOf(nodes[0]!, id)).lastHour.delivered).toBe(30)
})

test('the list of nodes shows which node responded, and when a node has left', async () => {
  const nodes = await startNodes(3)
  const shown = await nodesOf(nodes[1]!)
  expect(shown.filter(({ isSelf }) => isSelf)).toHaveLength(1)
  expect(new Set(shown.map(({ role }) => role))).toEqual(new Set(['all']))
  for (const { version, startedAt, lastSeenAt } of shown) {
    expect(version).toMatch(/^\d+\.\d+\.\d+/)
    expect(Date.parse(lastSeenAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
  }
  const own = (await nodesOf(nodes[2]!)).find(({ isSelf }) => isSelf)!
  await nodes[2]!.stop()
  await expect
    .poll(async () => (await nodesOf(nodes[0]!)).map(({ id }) => id))
    .not.toContain(own.id)
})
