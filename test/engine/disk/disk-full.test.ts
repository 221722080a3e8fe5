import { expect, test } from 'vitest'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { openSender } from './call-sender.ts'
import { readiness, startOn } from './service-on-disk.ts'
import { diskOrSkip } from './small-disk.ts'

const MIB = 2 ** 20
const SIZES = { bytes: 8 * MIB, ballastBytes: 2 * MIB }

test('calls are refused while the disk is full, accepted once it has space, and none is lost', async ({
  skip,
}) => {
  using disk = diskOrSkip(SIZES, skip)
  await using receiver = await CountingReceiver.open({ random: Math.random, failing: 0 })
  await using service = await startOn(disk.path)
  const { api } = service
  const accepted = new Set<string>()
  const send = await openSender(api, { webhookUrls: [receiver.urlOf('hook')], accepted })

  let refused = await send()
  while (refused.status === 200) refused = await send()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: 'overloaded' })
  const { status, text } = await readiness(service.url)
  expect(status, text).toBe(503)
  expect(text).toMatch(/Cannot write to the database disk \(ENOSPC\)|database or disk is full/)
  const acceptedBefore = accepted.size
  for (let times = 0; times < 20; times++) await send()
  expect(service.isRunning(), service.stderr).toBe(true)
  for (const path of ['sources', 'destinations', 'events', 'deliveries'])
    expect((await api.request('GET', path)).status, path).toBe(200)
  const backup = await api.request('GET', 'backup')
  expect(backup).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(JSON.parse(backup.text)).toMatchObject({ code: 'unavailable' })

  disk.free()
  await expect.poll(async () => (await send()).status).toBe(200)
  expect((await readiness(service.url)).status).toBe(200)
  await expect.poll(() => receiver.missing('hook', accepted)).toBe(0)
  expect(await service.stop(), service.stderr).toBe(0)
  console.log(
    `${acceptedBefore} calls got 200 until the disk was full, ${accepted.size - acceptedBefore} after; ` +
      `lost 0, duplicates ${receiver.duplicates}`,
  )
})
