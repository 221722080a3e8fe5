import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newDestination, newSource } from '@hookline/testing/service/new-source'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { expect, test } from 'vitest'

const TOKEN = 'tok_of_few_open_files'
const SETTINGS = {
  HOOKLINE_ADMIN_TOKEN: TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_INGEST_THREADS: '0',
  HOOKLINE_DELIVERY_THREADS: '0',
}

async function startWith(openFiles: number, dataDir: string): Promise<ServiceProcess> {
  return new ServiceProcess({ port: await freePort(), dataDir, settings: SETTINGS, openFiles })
}

test.for([48, 96, 255])(
  'with a limit of %i open files, the service refuses to start and reports the required number',
  async (openFiles) => {
    using folder = new TemporaryFolder()
    const service = await startWith(openFiles, folder.path)
    expect(await service.ready()).toBe(false)
    expect(service.exitCode).toBe(1)
    expect(service.stderr).toContain(`may open ${openFiles} files and connections, but needs 256`)
  },
)

test('with the required number of open files, the service delivers to more receivers than it may have connections to', async () => {
  using folder = new TemporaryFolder()
  await using stack = new AsyncDisposableStack()
  const receivers = await Promise.all(
    Array.from({ length: 100 }, () => openReceiver().then((each) => stack.use(each))),
  )
  const service = await startWith(256, folder.path)
  try {
    expect(await service.ready(), service.stderr).toBe(true)
    expect(service.stderr).toContain('open_files.limited')
    const api = new ManagementApi(service.url, TOKEN)
    const { id, writeKey } = await newSource(api)
    for (const { url } of receivers) await newDestination(api, id, url)
    for (let index = 0; index < 5; index++) {
      const body = JSON.stringify({ writeKey, userId: 'u1', event: 'Order Completed' })
      const { status } = await fetch(`${service.url}/v1/track`, { method: 'POST', body })
      expect(status).toBe(200)
    }
    const delivered = () => receivers.reduce((sum, { requests }) => sum + requests.length, 0)
    await expect.poll(delivered, { timeout: 40_000 }).toBe(500)
    expect(service.stderr).not.toContain('webhook.failing')
  } finally {
    await service.kill()
  }
})
