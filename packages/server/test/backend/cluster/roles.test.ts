import { describe, expect, test } from 'vitest'
import type { Service } from '../../../src/index.ts'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ADMIN_TOKEN, openServiceAt, order, sendCalls, type Source } from '../move/filled-folder.ts'
import { openTarget } from '../move/open-target.ts'

/** Opens a node for each role. */
async function openNodes(
  stack: AsyncDisposableStack,
): Promise<Record<'ingest' | 'deliver' | 'api', Service>> {
  const { settings } = stack.use(await openTarget())
  const open = async (role: string): Promise<Service> => {
    const folder = stack.use(new TemporaryFolder())
    const own = { HOOKLINE_ROLE: role, HOOKLINE_DATA_DIR: folder.path }
    return stack.use(await openServiceAt({ ...settings, ...own }))
  }
  return { ingest: await open('ingest'), deliver: await open('deliver'), api: await open('api') }
}

async function createSource(api: ManagementApi): Promise<Source> {
  const shop = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'Shop',
  })
  return { id: shop.id, writeKey: shop.writeKeys[0].key }
}

const statusOf = async (url: string, method = 'GET') =>
  (await fetch(url, { method, redirect: 'manual' })).status

describe.skipIf(clusterSkipReason() !== undefined)('nodes with different roles', () => {
  test('receive, deliver, compute, delete and show everything together', async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await openReceiver())
    const nodes = await openNodes(stack)
    const api = new ManagementApi(nodes.api.url, ADMIN_TOKEN)
    const source = await createSource(api)
    const settings = { webhooks: [{ url: receiver.url }], sharedSecret: 'a shared secret' }
    const { id: destinationId } = await api.call<{ id: string }>('POST', 'destinations', {
      sourceId: source.id,
      type: 'Webhooks',
      enabled: true,
      settings,
    })
    const audience = await api.call<{ id: string }>('POST', 'audiences', {
      name: 'Buyers',
      destinationIds: [destinationId],
      condition: { event: 'Order Completed' },
    })
    // The node that accepts calls gets the source within a second.
    await expect
      .poll(() =>
        sendCalls(nodes.ingest.url, source, [order('u1', 'm1')]).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    const has = (text: string) => receiver.requests.some(({ body }) => body.includes(text))
    await expect.poll(() => has('"m1"')).toBe(true)
    await expect.poll(() => has('"buyers":true')).toBe(true)
    const { data } = await api.call<{ data: { state: string }[] }>(
      'GET',
      'deliveries?state=delivered',
    )
    expect(data.length).toBeGreaterThan(0)
    const members = await api.call<{ data: unknown[] }>('GET', `audiences/${audience.id}/members`)
    expect(members.data).toMatchObject([{ userId: 'u1' }])
    const shown = await api.call<object>('GET', `destinations/${destinationId}`)
    expect(shown).toMatchObject({ health: { webhooks: [{ breaker: 'closed' }] } })
    const deletion = await api.call<{ id: string }>('POST', 'deletions', { userIds: ['u1'] })
    await expect.poll(() => has('"delete"')).toBe(true)
    await expect
      .poll(
        async () => (await api.call<{ state: string }>('GET', `deletions/${deletion.id}`)).state,
      )
      .toBe('finished')
    expect((await api.call<{ data: unknown[] }>('GET', 'events?userId=u1')).data).toEqual([])
  })

  test('refuse requests for other roles with a reason, and serve health and metrics', async () => {
    await using stack = new AsyncDisposableStack()
    const nodes = await openNodes(stack)
    const problemOf = async (service: Service, path: string, method = 'GET') => {
      const response = await fetch(service.url + path, { method, redirect: 'manual' })
      const { code } = (await response.json()) as { code: string }
      return [response.status, response.headers.get('retry-after'), code]
    }
    const refused = [503, '1', 'wrong_node']
    for (const node of [nodes.deliver, nodes.api]) {
      for (const path of ['/v1/track', '/v1/batch', '/v1/t'])
        expect(await problemOf(node, path, 'POST')).toEqual(refused)
      expect(await problemOf(node, '/v1/projects/wk_x/settings')).toEqual(refused)
    }
    for (const node of [nodes.deliver, nodes.ingest])
      for (const path of ['/api/v1/sources', '/api/v1/deletions', '/console/', '/docs/'])
        expect(await problemOf(node, path)).toEqual(refused)
    const problem = await fetch(`${nodes.ingest.url}/api/v1/sources`, {
      method: 'POST',
      body: '{}',
    })
    expect(problem.headers.get('content-type')).toContain('application/problem+json')
    expect(await problem.json()).toMatchObject({
      status: 503,
      code: 'wrong_node',
      title: 'This cluster node does not serve the management API.',
    })
    for (const { url } of Object.values(nodes))
      for (const path of ['/livez', '/readyz', '/metrics'])
        expect(await statusOf(url + path)).toBe(200)
    expect(await statusOf(`${nodes.api.url}/v1/webhook-payload.schema.json`)).toBe(200)
    expect(await statusOf(`${nodes.api.url}/console/`)).not.toBe(503)
  })

  test('leave the log to a node that delivers', async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await openReceiver())
    const { settings } = stack.use(await openTarget())
    const folder = stack.use(new TemporaryFolder())
    const at = (role: string) =>
      openServiceAt({
        ...settings,
        HOOKLINE_ROLE: role,
        HOOKLINE_DATA_DIR: `${folder.path}/${role}`,
      })
    const [api, ingest] = [stack.use(await at('api')), stack.use(await at('ingest'))]
    const management = new ManagementApi(api.url, ADMIN_TOKEN)
    const source = await createSource(management)
    await management.call('POST', 'destinations', {
      sourceId: source.id,
      type: 'Webhooks',
      enabled: true,
      settings: { webhooks: [{ url: receiver.url }], sharedSecret: 'a shared secret' },
    })
    await expect
      .poll(() =>
        sendCalls(ingest.url, source, [order('u1', 'm1')]).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    const { data } = await management.call<{ data: unknown[] }>('GET', 'events')
    expect([data, receiver.requests]).toEqual([[], []])
    stack.use(await at('deliver'))
    await receiver.waitFor(1)
  })
})

test('a process on the embedded backend requires the role "all"', async () => {
  using folder = new TemporaryFolder()
  const started = openServiceAt({ HOOKLINE_ROLE: 'ingest', HOOKLINE_DATA_DIR: folder.path })
  await expect(started).rejects.toThrow(/role ingest requires the cluster .*HOOKLINE_ROLE/s)
  await using service = await openServiceAt({
    HOOKLINE_ROLE: 'all',
    HOOKLINE_DATA_DIR: folder.path,
  })
  expect(await statusOf(`${service.url}/livez`)).toBe(200)
})
