import { Analytics, type ReportedError } from '@hookline/client'
import { expect, onTestFinished, test } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { ServiceProcess } from '../crash/service-process.ts'
import { freePort } from '../../packages/server/test/harness/free-port.ts'
import { ManagementApi } from '../harness/management-api.ts'
import { CallReceiver } from './call-receiver.ts'

const CALLS = 100_000
const ADMIN_TOKEN = 'tok_client_test'

const settings = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE_MS: '50,100,200,400',
  HOOKLINE_LOG_LEVEL: 'error',
}

test(`each of ${CALLS} calls arrives although the service is killed twice`, async () => {
  using folder = new TemporaryFolder()
  await using receiver = await new CallReceiver().listen()
  const options = { port: await freePort(), dataDir: folder.path, settings }
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
  console.log(`${CALLS} calls, 2 kills: lost 0, arrived again ${repeats}`)
})

/** Makes a source whose events go to this webhook. Resolves with its write key. */
async function writeKeyOf(serviceUrl: string, webhookUrl: string): Promise<string> {
  const api = new ManagementApi(serviceUrl, ADMIN_TOKEN)
  const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'Killed',
  })
  await api.call('POST', 'destinations', {
    sourceId: source.id,
    type: 'Webhooks',
    enabled: true,
    settings: { webhooks: [{ url: webhookUrl }] },
  })
  return source.writeKeys[0].key
}
