import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { run } from '@hookline/testing/cli/hookline'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { expect, test } from 'vitest'

const TOKEN = 'tok_of_moved_files'
const SETTINGS = { HOOKLINE_ADMIN_TOKEN: TOKEN, HOOKLINE_LOG_LEVEL: 'error' }

/** A service in its own process, with a source. Tests may move and replace its files. */
class DisturbedService implements AsyncDisposable {
  readonly folder = new TemporaryFolder()
  readonly data = join(this.folder.path, 'data')
  #service: ServiceProcess | undefined
  #writeKey = ''

  async start(): Promise<this> {
    this.#service = await this.#newProcess()
    if (!(await this.#service.ready())) throw new Error(this.#service.stderr)
    const { writeKeys } = await this.api.call<{ writeKeys: { key: string }[] }>('POST', 'sources', {
      name: 'Shop',
    })
    this.#writeKey = writeKeys[0]!.key
    return this
  }

  async restart(): Promise<void> {
    await this.#service!.stop()
    this.#service = await this.#newProcess()
    if (!(await this.#service.ready())) throw new Error(this.#service.stderr)
  }

  get api(): ManagementApi {
    return new ManagementApi(this.#service!.url, TOKEN)
  }

  async track(messageId: string): Promise<number> {
    return (await this.trackCall(messageId)).status
  }

  async trackCall(messageId: string): Promise<{ readonly status: number; readonly text: string }> {
    const body = { writeKey: this.#writeKey, messageId, userId: 'u1', event: 'Order Completed' }
    const response = await fetch(`${this.#service!.url}/v1/track`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }

  async readiness(): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.#service!.url}/readyz`)
    return { status: response.status, text: await response.text() }
  }

  /** Starts another process on the same folder. Resolves with its output if it refuses to start. */
  async startSecondProcess(): Promise<string> {
    const other = await this.#newProcess()
    const started = await other.ready()
    await other.stop()
    return started ? 'it started' : other.stderr
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.kill()
    this.folder[Symbol.dispose]()
  }

  async #newProcess(): Promise<ServiceProcess> {
    return new ServiceProcess({ port: await freePort(), dataDir: this.data, settings: SETTINGS })
  }
}

const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true })

test.for([
  [
    'renamed',
    'hookline.db was moved or removed',
    (data: string) => renameSync(data, `${data}.old`),
  ],
  [
    'replaced by a copy',
    'hookline.db was replaced',
    (data: string) => {
      renameSync(data, `${data}.old`)
      copy(`${data}.old`, data)
    },
  ],
  [
    'hidden by an empty folder',
    'hookline.db was moved or removed',
    (data: string) => {
      renameSync(data, `${data}.old`)
      mkdirSync(data)
    },
  ],
] as const)(
  'a service whose data folder is %s responds with 503 and the reason until the folder is restored',
  async ([, reason, disturb]) => {
    await using service = await new DisturbedService().start()
    expect(await service.track('before')).toBe(200)
    disturb(service.data)
    const unavailable = { status: 503, text: expect.stringContaining(reason) }
    const refused = await service.trackCall('lost')
    expect(refused).toMatchObject(unavailable)
    expect(refused.text).not.toContain(service.folder.path)
    expect(await service.readiness()).toMatchObject(unavailable)
    rmSync(service.data, { recursive: true, force: true })
    renameSync(`${service.data}.old`, service.data)
    expect(await service.track('after')).toBe(200)
    expect((await service.readiness()).status).toBe(200)
  },
)

test.for(['hookline.db', 'hookline.db-wal', 'hookline.db-shm', 'hookline.lock', 'last-commit'])(
  'a service responds with 503 and the reason after %s was removed or replaced, and no second service starts',
  async (name) => {
    await using service = await new DisturbedService().start()
    const file = join(service.data, name)
    const content = readFileSync(file)
    rmSync(file)
    expect(await service.track('lost')).toBe(503)
    expect((await service.readiness()).text).toContain(`${name} was moved or removed`)
    writeFileSync(file, content)
    expect(await service.track('lost, too')).toBe(503)
    expect((await service.readiness()).text).toContain(`${name} was replaced`)
    expect(await service.startSecondProcess()).toMatch(/in use by another|open in another process/)
  },
)

test('a second service is refused after the lock file was removed, even repeatedly', async () => {
  await using service = await new DisturbedService().start()
  rmSync(join(service.data, 'hookline.lock'))
  expect(await service.startSecondProcess()).toContain('hookline.lock was removed or replaced')
  expect(await service.startSecondProcess()).toContain('hookline.lock was removed or replaced')
})

test('every call that got a 200 while the folder was moved and copied is in the copy', async () => {
  await using service = await new DisturbedService().start()
  const accepted: string[] = []
  let sent = 0
  const sending = (async () => {
    let refused = 0
    while (refused < 20) {
      const messageId = `message ${sent++}`
      const status = await service.track(messageId)
      if (status === 200) accepted.push(messageId)
      else refused++
    }
  })()
  await expect.poll(() => accepted.length).toBeGreaterThan(50)
  renameSync(service.data, `${service.data}.old`)
  copy(`${service.data}.old`, service.data)
  await sending
  await service.restart()
  await expect
    .poll(async () => {
      const events = await service.api.listAll<{ event: { messageId: string } }>('events')
      const stored = new Set(events.map(({ event }) => event.messageId))
      return accepted.filter((each) => !stored.has(each))
    })
    .toEqual([])
})

test('copying a backup over the database of a running service is reported', async () => {
  await using service = await new DisturbedService().start()
  const backup = join(service.folder.path, 'backup.db')
  const { code } = await run(['backup', backup, '--url', service.api.url], {
    env: { HOOKLINE_ADMIN_TOKEN: TOKEN },
  })
  expect(code).toBe(0)
  expect(await service.track('kept')).toBe(200)
  writeFileSync(join(service.data, 'hookline.db'), readFileSync(backup))
  expect(await service.track('lost')).toBe(503)
  expect((await service.readiness()).text).toContain('hookline.db was overwritten')
})

test('another program may run a checkpoint on the database of a running service', async () => {
  await using service = await new DisturbedService().start()
  const before = readFileSync(join(service.data, 'hookline.db'))
  expect(await service.track('first')).toBe(200)
  using other = new DatabaseSync(join(service.data, 'hookline.db'))
  other.exec('PRAGMA busy_timeout = 10000; PRAGMA wal_checkpoint(PASSIVE)')
  expect(readFileSync(join(service.data, 'hookline.db'))).not.toEqual(before)
  expect(await service.track('second')).toBe(200)
})
