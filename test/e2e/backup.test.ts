import { createLogger, openService, parseConfig, restoreInto, type Service } from '@hookline/server'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { ManagementApi } from '@hookline/testing/service/management-api'

const ADMIN_TOKEN = 'tok_x'

function start(dataDir: string, more: object = {}): Promise<Service> {
  const settings = { port: '0', adminToken: ADMIN_TOKEN, allowedNetworks: '127.0.0.0/8' }
  const config = parseConfig({}, { dataDir, ...settings, retryScheduleMs: '200', ...more })
  return openService({ config, logger: createLogger('silent') })
}

function beginBackup({ url }: Service): Promise<Response> {
  return fetch(`${url}/api/v1/backup`, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } })
}

async function backUp(service: Service): Promise<Buffer> {
  return Buffer.from(await (await beginBackup(service)).arrayBuffer())
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

test('startup removes the backup copy of a killed service, and a backup removes its own copy', async () => {
  using folder = new TemporaryFolder()
  const leftOver = join(folder.path, 'copy-for-backup')
  mkdirSync(leftOver)
  writeFileSync(join(leftOver, 'hookline.db.partial'), 'PLANTED-VALUE')
  await using service = await start(folder.path)
  expect(filesWith(folder.path, 'PLANTED-VALUE')).toEqual([])
  expect((await backUp(service)).toString('latin1')).toMatch(/^SQLite format 3\0/)
  await expect.poll(() => readdirSync(folder.path)).not.toContain('copy-for-backup')
})

const MEGABYTE = 1024 * 1024
/** Far more than the socket buffers for a client that does not read. */
const LARGE = 24 * MEGABYTE

/** Sends calls from `ada`, each with a different text, until the database is large. */
async function fill({ url }: Service): Promise<void> {
  const api = new ManagementApi(url, ADMIN_TOKEN)
  const { writeKeys } = await api.call<{ writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'S',
  })
  const properties = { text: 'PLANTED-VALUE '.repeat(2_000) }
  const call = { type: 'track', userId: 'ada', event: 'E', properties }
  const batch = Array.from({ length: 16 }, () => call)
  const body = JSON.stringify({ writeKey: writeKeys[0].key, batch })
  for (let bytes = 0; bytes < LARGE; bytes += body.length) {
    const response = await fetch(`${url}/v1/batch`, { method: 'POST', body })
    expect(response.status).toBe(200)
  }
}

/** Requests a backup without reading the response. Resolves when the copy is complete. */
async function stalledDownload(service: Service, folder: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  socket.pause()
  socket.write(
    `GET /api/v1/backup HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
  )
  await expect.poll(() => readdirSync(folder)).toContain('copy-for-backup')
  const files = (): string[] => readdirSync(join(folder, 'copy-for-backup'))
  await expect.poll(files).toEqual(['hookline.db'])
  return socket
}

test('the backup copy for a client that reads nothing is removed after backupTimeoutMs, and the next backup succeeds', async () => {
  using folder = new TemporaryFolder()
  await using service = await start(folder.path, { backupTimeoutMs: '5000' })
  await fill(service)
  const socket = await stalledDownload(service, folder.path)
  await expect.poll(() => readdirSync(folder.path)).not.toContain('copy-for-backup')
  // Not read completely, because that could exceed backupTimeoutMs on a busy machine.
  const { status, body } = await beginBackup(service)
  expect(status).toBe(200)
  await body!.cancel()
  socket.destroy()
})

test("a deletion aborts the download of a backup, and leaves no copy with the user's data on disk", async () => {
  using folder = new TemporaryFolder()
  await using service = await start(folder.path)
  await fill(service)
  const socket = await stalledDownload(service, folder.path)
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const { id } = await api.call<{ id: string }>('POST', 'deletions', { userIds: ['ada'] })
  const stateOf = async () => (await api.call<{ state: string }>('GET', `deletions/${id}`)).state
  await expect.poll(stateOf).toBe('finished')
  expect(filesWith(folder.path, 'PLANTED-VALUE')).toEqual([])
  expect(readdirSync(folder.path)).not.toContain('copy-for-backup')
  socket.destroy()
})
