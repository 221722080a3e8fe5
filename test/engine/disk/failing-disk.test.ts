import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorOf, run } from '@hookline/testing/cli/hookline'
import { Receiver } from '@hookline/testing/receiver/receiver'
import { FailingDisk } from '@hookline/testing/disks/failing-disk'
import { openSender } from './call-sender.ts'
import { readiness, startOn } from './service-on-disk.ts'

const MIB = 2 ** 20

/** A service on a disk that can fail, and a receiver of its calls. */
async function setUp(stack: AsyncDisposableStack, skip: () => never) {
  const disk = stack.use(FailingDisk.orSkip(skip))
  const receiver = stack.use(await new Receiver({}).listen())
  const service = stack.use(await startOn(disk.path, disk.settings))
  const accepted = new Set<string>()
  const send = await openSender(service.api, { webhookUrls: [receiver.url], accepted })
  return { disk, receiver, service, accepted, send }
}

/** Makes the disk fail when the receiver accepts a delivery. */
function failing(disk: FailingDisk): () => number {
  return () => {
    disk.fail({ error: 'EIO' })
    return 200
  }
}

test.for([
  { code: 'EIO', file: 'hookline.db-wal', reason: 'disk I/O error' },
  { code: 'EIO', file: '', reason: 'disk I/O error' },
  {
    code: 'ENOSPC',
    file: 'disk-probe',
    reason: 'Cannot write to the database disk (ENOSPC).',
  },
  { code: 'EROFS', file: 'disk-probe', reason: 'Cannot write to the database disk (EROFS).' },
  { code: 'EROFS', file: '', reason: 'Cannot write to the database' },
] as const)(
  'while writes of data/$file fail with $code, /readyz responds with 503 and the reason, and with 200 afterwards',
  async ({ code, file, reason }, { skip }) => {
    using disk = FailingDisk.orSkip(skip)
    await using service = await startOn(disk.path, disk.settings)
    disk.fail({ error: code, file })
    const { status, text } = await readiness(service.url)
    expect(status, text).toBe(503)
    expect(text).toContain(reason)
    expect(text).not.toContain(disk.path)
    expect((await fetch(`${service.url}/livez`)).status).toBe(200)
    expect((await service.api.request('GET', 'sources')).status).toBe(200)
    disk.repair()
    expect(await readiness(service.url)).toMatchObject({ status: 200 })
    expect(await service.stop(), service.stderr).toBe(0)
  },
)

test('calls are accepted and delivered while checkpoints of the write-ahead log fail, and survive a restart', async ({
  skip,
}) => {
  await using stack = new AsyncDisposableStack()
  const { disk, receiver, service, accepted, send } = await setUp(stack, skip)
  disk.fail({ error: 'EIO', file: 'hookline.db' })
  const wal = join(disk.path, 'hookline.db-wal')
  // SQLite attempts a checkpoint at 16 MiB.
  while (statSync(wal).size < 20 * MIB) expect((await send()).status).toBe(200)
  await receiver.waitFor(accepted.size)
  expect(await service.stop(), service.stderr).toBe(0)

  disk.repair()
  await using next = await startOn(disk.path, disk.settings)
  expect(await next.api.listAll('events')).toHaveLength(accepted.size)
  await expect
    .poll(() => next.api.call('GET', 'deliveries?state=pending'))
    .toMatchObject({ data: [] })
  expect(receiver.requests).toHaveLength(accepted.size)
})

test.for(['EIO', 'ENOSPC', 'EROFS'] as const)(
  'a service started on a disk that fails with %s exits with the reason, and no event is missing after the next start',
  async (code, { skip }) => {
    await using stack = new AsyncDisposableStack()
    const { disk, service: first, accepted, send } = await setUp(stack, skip)
    await send()
    expect(await first.stop(), first.stderr).toBe(0)
    disk.fail({ error: code })
    const refused = await run(['start', '--json', '--port', '0', '--data-dir', disk.path], {
      env: disk.settings,
    })
    expect(refused.code).toBe(1)
    expect(errorOf(refused)).toMatchObject({
      code: 'data_dir_unusable',
      hint: expect.stringContaining('the disk is not full'),
    })
    disk.repair()
    await using next = await startOn(disk.path, disk.settings)
    expect(await next.api.listAll('events')).toHaveLength(accepted.size)
  },
)

test('a service can stop on a failing disk, and each delivery is recorded after the next start', async ({
  skip,
}) => {
  await using stack = new AsyncDisposableStack()
  const { disk, receiver, service: first, accepted, send } = await setUp(stack, skip)
  receiver.respond = failing(disk)
  await send()
  await receiver.waitFor(accepted.size)
  expect(await first.stop(), first.stderr).toBe(0)
  disk.repair()
  receiver.respond = () => 200
  await using next = await startOn(disk.path, disk.settings)
  await expect
    .poll(async () =>
      (await next.api.listAll<{ state: string }>('deliveries')).map(({ state }) => state),
    )
    .toEqual(Array.from(accepted, () => 'delivered'))
})

test('an event whose delivery cannot be recorded is not sent twice, and the delivery is recorded when the disk works again', async ({
  skip,
}) => {
  await using stack = new AsyncDisposableStack()
  const { disk, receiver, service, accepted, send } = await setUp(stack, skip)
  const { api } = service
  receiver.respond = failing(disk)
  expect((await send()).status).toBe(200)
  await receiver.waitFor(accepted.size)
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(await api.request('POST', 'sources', { name: 'T' })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  })
  expect((await readiness(service.url)).status).toBe(503)
  expect((await api.listAll('deliveries')).length).toBeLessThan(accepted.size)

  receiver.respond = () => 200
  disk.repair()
  const recorded = async (): Promise<number> =>
    (await api.listAll<{ state: string }>('deliveries')).filter(
      ({ state }) => state === 'delivered',
    ).length
  await expect.poll(recorded).toBe(accepted.size)
  const before = accepted.size
  expect((await send()).status).toBe(200)
  await receiver.waitFor(accepted.size)
  await expect.poll(recorded).toBe(accepted.size)
  expect(receiver.requests).toHaveLength(accepted.size)
  expect(accepted.size).toBe(2 * before)
  expect(await service.stop(), service.stderr).toBe(0)
})

test('a deletion notice that cannot be recorded is not sent twice, and the deletion finishes when the disk works again', async ({
  skip,
}) => {
  await using stack = new AsyncDisposableStack()
  const { disk, receiver, service, accepted, send } = await setUp(stack, skip)
  const { api } = service
  await send()
  await receiver.waitFor(accepted.size)
  receiver.respond = failing(disk)
  const { id } = await api.call<{ id: string }>('POST', 'deletions', { userIds: ['u1'] })
  await receiver.waitFor(accepted.size + 1)
  expect((await readiness(service.url)).status).toBe(503)
  const deletion = async (): Promise<unknown> => api.call('GET', `deletions/${id}`)
  expect(await deletion()).toMatchObject({ state: 'running' })
  disk.repair()
  await expect.poll(deletion).toMatchObject({ state: 'finished' })
  expect(receiver.requests).toHaveLength(accepted.size + 1)
  expect(await service.stop(), service.stderr).toBe(0)
})
