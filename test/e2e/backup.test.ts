import { createLogger, openService, parseConfig, restoreInto, type Service } from '@hookline/server'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesWith } from '../../packages/server/test/harness/bytes-in-folder.ts'
import { openReceiver } from '../../packages/server/test/harness/receiver.ts'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { isSignedWith } from '../harness/is-signed-with.ts'
import { ManagementApi } from '../harness/management-api.ts'

const ADMIN_TOKEN = 'tok_x'

function start(dataDir: string): Promise<Service> {
  const settings = { port: '0', adminToken: ADMIN_TOKEN, allowedNetworks: '127.0.0.0/8' }
  const config = parseConfig({}, { dataDir, ...settings, retryScheduleMs: '200' })
  return openService({ config, logger: createLogger('silent') })
}

/** A backup of a running service. */
async function backUp({ url }: Service): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` }
  return Buffer.from(await (await fetch(`${url}/api/v1/backup`, { headers })).arrayBuffer())
}

test('a restored backup continues pending deliveries with the same webhook-id and secret', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver({ respond: 503 })
  const [here, there, file] = ['here', 'there', 'backup.db'].map((name) => join(folder.path, name))
  {
    await using service = await start(here!)
    const api = new ManagementApi(service.url, ADMIN_TOKEN)
    const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'S',
    })
    const settings = { sharedSecret: 'the-secret', webhooks: [{ url: receiver.url }] }
    const destination = { sourceId: source.id, type: 'Webhooks', enabled: true, settings }
    await api.call('POST', 'destinations', destination)
    const response = await fetch(`${service.url}/v1/page`, {
      method: 'POST',
      body: JSON.stringify({ writeKey: source.writeKeys[0].key, userId: 'u1', name: 'Home' }),
    })
    expect(response.status).toBe(200)
    await receiver.waitFor(2)
    writeFileSync(file!, await backUp(service))
  }
  const before = receiver.requests.length
  await restoreInto(there!, file!, { replace: false })
  copyFileSync(join(here!, 'encryption-key'), join(there!, 'encryption-key'))
  receiver.respond = () => 200
  await using _restored = await start(there!)
  await receiver.waitFor(before + 1)
  const [first, last] = [receiver.requests[0]!, receiver.requests.at(-1)!]
  expect(last.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(last.body.toString()).toBe(first.body.toString())
  expect(isSignedWith('the-secret', last)).toBe(true)
})

test('the next start removes the copy that a killed service left behind, and a backup removes its own', async () => {
  using folder = new TemporaryFolder()
  const leftOver = join(folder.path, 'copy-for-backup')
  mkdirSync(leftOver)
  writeFileSync(join(leftOver, 'hookline.db.partial'), 'PLANTED-VALUE')
  await using service = await start(folder.path)
  expect(filesWith(folder.path, 'PLANTED-VALUE')).toEqual([])
  expect((await backUp(service)).toString('latin1')).toMatch(/^SQLite format 3\0/)
  await expect.poll(() => readdirSync(folder.path)).not.toContain('copy-for-backup')
})
