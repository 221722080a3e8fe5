import { expect, test } from 'vitest'
import { CountingReceiver } from '../../crash/counting-receiver.ts'
import { freePort } from '../../harness/free-port.ts'
import { ServiceProcess } from '../../crash/service-process.ts'
import { ManagementApi } from '../../harness/management-api.ts'
import { openSender } from './call-sender.ts'
import { diskOrSkip } from './small-disk.ts'

const ADMIN_TOKEN = 'tok_disk_test'
const MIB = 2 ** 20
const SIZES = { bytes: 8 * MIB, ballastBytes: 2 * MIB }

test('with a full disk calls are refused and none is lost, and with free space calls are accepted again', async ({
  skip,
}) => {
  using disk = diskOrSkip(SIZES, skip)
  await using receiver = await CountingReceiver.open({ random: Math.random, failing: 0 })
  await using service = await startOn(disk.path)
  const accepted = new Set<string>()
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const send = await openSender(api, { webhookUrl: receiver.urlOf('hook'), accepted })

  let refused = await send()
  while (refused.status === 200) refused = await send()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: 'overloaded' })
  const { status, text } = await readiness(service.url)
  expect(status, text).toBe(503)
  expect(text).toContain('The disk of the database takes no data (ENOSPC).')
  const acceptedBefore = accepted.size
  for (let times = 0; times < 20; times++) await send()
  expect(service.isRunning(), service.stderr).toBe(true)

  disk.free()
  await expect.poll(async () => (await send()).status, { timeout: 15_000 }).toBe(200)
  expect((await readiness(service.url)).status).toBe(200)
  await expect.poll(() => receiver.missing('hook', accepted), { timeout: 30_000 }).toBe(0)
  expect(await service.stop(), service.stderr).toBe(0)
  console.log(
    `${acceptedBefore} calls answered 200 until the disk was full, ${accepted.size - acceptedBefore} after; ` +
      `lost 0, duplicates ${receiver.duplicates}`,
  )
})

async function readiness(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, text: await response.text() }
}

async function startOn(dataDir: string) {
  const service = new ServiceProcess({
    port: await freePort(),
    dataDir,
    settings: {
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_LOG_LEVEL: 'error',
    },
  })
  expect(await service.ready(), service.stderr).toBe(true)
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.kill() })
}
