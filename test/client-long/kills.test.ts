import { Analytics, type ReportedError } from '@hookline/client'
import { expect, onTestFinished, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { freePort } from '@hookline/testing/network/free-port'
import { CallReceiver } from '@hookline/testing/client/call-receiver'
import { SETTINGS, writeKeyOf } from '@hookline/testing/client/killed-service'

const CALLS = 100_000

test(`each of ${CALLS} calls arrives, although the service is killed twice`, async () => {
  using folder = new TemporaryFolder()
  await using receiver = await new CallReceiver().listen()
  const options = { port: await freePort(), dataDir: folder.path, settings: SETTINGS }
  let service = new ServiceProcess(options)
  onTestFinished(() => service.kill())
  expect(await service.ready(), service.stderr).toBe(true)
  const errors: ReportedError[] = []
  await using analytics = new Analytics(await writeKeyOf(service.url, receiver.url), {
    endpoint: service.url,
    flushAt: 100,
    onError: (error) => errors.push(error),
  })
  for (let index = 0; index < CALLS; index++) {
    analytics.track({ userId: `u${index}`, event: 'E', messageId: `m${index}` })
  }
  const flushed = analytics.flush()
  for (const delivered of [CALLS / 4, CALLS / 2]) {
    await expect
      .poll(() => analytics.stats.delivered, { timeout: 120_000, interval: 10 })
      .toBeGreaterThan(delivered)
    await service.kill()
    service = new ServiceProcess(options)
    expect(await service.ready(), service.stderr).toBe(true)
  }
  expect(await flushed).toEqual({ delivered: CALLS, failed: 0, pending: 0 })
  expect(errors).toEqual([])
  await expect.poll(() => receiver.calls.size, { timeout: 240_000, interval: 200 }).toBe(CALLS)
  expect(await service.stop(), service.stderr).toBe(0)
  expect(receiver.calls.size).toBe(CALLS)
  for (let index = 0; index < CALLS; index++) expect(receiver.calls.has(`m${index}`)).toBe(true)
  const repeats = [...receiver.calls.values()].reduce((sum, { times }) => sum + times - 1, 0)
  console.log(`${CALLS} calls, 2 kills: lost 0, duplicates ${repeats}`)
})
