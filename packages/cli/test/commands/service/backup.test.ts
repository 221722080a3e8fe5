import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf, Hookline, run } from '@hookline/testing/cli/hookline'

interface Ready {
  readonly url: string
  readonly tokenFile: string
}

/** Sends batches sequentially until it is stopped; `acknowledged` are the messageIds that got a 200. */
class Load {
  readonly acknowledged: string[] = []
  readonly #url: string
  readonly #key: string
  #isStopping = false
  #running: Promise<void> = Promise.resolve()

  constructor(url: string, writeKey: string) {
    this.#url = url
    this.#key = writeKey
  }

  start(): void {
    this.#running = this.#send()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#running
  }

  async #send(): Promise<void> {
    for (let number = 0; !this.#isStopping; number += 20) {
      const batch = Array.from({ length: 20 }, (_, index) => ({
        type: 'track',
        event: 'Load',
        userId: 'u1',
        messageId: `m-${number + index}`,
        properties: { text: 'x'.repeat(500) },
      }))
      const response = await fetch(`${this.#url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${this.#key}:`).toString('base64')}` },
        body: JSON.stringify({ batch }),
      })
      if (response.status === 200)
        this.acknowledged.push(...batch.map(({ messageId }) => messageId))
      await response.arrayBuffer()
    }
  }
}

async function messageIdsAt(url: string, tokenFile: string): Promise<Set<string>> {
  const env = { HOOKLINE_URL: url }
  const list = ['events', 'list', '--limit', '1000000', '--token-file', tokenFile, '--json']
  const { stdout } = await run(list, { env })
  const { data } = JSON.parse(stdout) as { data: { event: { messageId: string } }[] }
  return new Set(data.map(({ event }) => event.messageId))
}

async function startOn(dataDir: string): Promise<{ service: Hookline; ready: Ready }> {
  const flags = ['--port', '0', '--data-dir', dataDir, '--log-level', 'silent', '--json']
  const service = new Hookline(['start', ...flags])
  return { service, ready: await service.document<Ready>('ready') }
}

it('a backup under load contains every event acknowledged before it', async () => {
  await using service = await ApiService.start()
  using folder = new TemporaryFolder()
  const { writeKeys } = await service.json<{ writeKeys: { key: string }[] }>(
    'sources',
    'create',
    'Load',
  )
  const load = new Load(service.url, writeKeys[0]!.key)
  load.start()
  await expect.poll(() => load.acknowledged.length).toBeGreaterThan(1_000)
  const before = [...load.acknowledged]
  const file = join(folder.path, 'backup.db')
  const { bytes } = await service.json<{ bytes: number }>('backup', file)
  const during = load.acknowledged.length - before.length
  await load.stop()
  expect(during).toBeGreaterThan(0)
  expect([statSync(file).size, statSync(file).mode & 0o777]).toEqual([bytes, 0o600])

  const dataDir = join(folder.path, 'elsewhere')
  mkdirSync(dataDir)
  const key = 'encryption-key'
  copyFileSync(join(dirname(service.tokenFile), key), join(dataDir, key))
  expect((await run(['restore', file, '--data-dir', dataDir])).code).toBe(0)
  const restored = await startOn(dataDir)
  await using _running = restored.service
  const { url, tokenFile } = restored.ready
  const kept = await messageIdsAt(url, tokenFile)
  expect(before.filter((messageId) => !kept.has(messageId))).toEqual([])
})

it('backup --stopped copies the database of a stopped service, and refuses a running one', async () => {
  using folder = new TemporaryFolder()
  const dataDir = join(folder.path, 'data')
  const { service } = await startOn(dataDir)
  await using _running = service
  const stopped = (name: string) =>
    run(['backup', join(folder.path, name), '--stopped', '--data-dir', dataDir])
  const refused = await stopped('a.db')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('in use')])
  service.signal('SIGTERM')
  await service.exit()
  expect((await stopped('b.db')).code).toBe(0)
  expect((await run(['restore', join(folder.path, 'b.db'), '--data-dir', dataDir])).code).toBe(1)
})

it('restore refuses a file that is not a backup, and, without --replace, a folder with a database', async () => {
  await using service = await ApiService.start()
  using folder = new TemporaryFolder()
  const dataDir = join(folder.path, 'restore')
  mkdirSync(dataDir)
  const file = join(folder.path, 'not-a-backup')
  writeFileSync(file, 'not a database')
  const wrong = await run(['restore', file, '--data-dir', dataDir, '--json'])
  expect([wrong.code, errorOf(wrong)['code']]).toEqual([1, 'unusable_database'])
  const backup = join(folder.path, 'backup.db')
  await service.json('backup', backup)
  expect((await run(['restore', backup, '--data-dir', dataDir])).code).toBe(0)
  const again = await run(['restore', backup, '--data-dir', dataDir])
  expect([again.code, again.stderr.includes('--replace')]).toEqual([1, true])
  const replaced = await run(['restore', backup, '--data-dir', dataDir, '--replace', '--yes'])
  expect([replaced.code, replaced.stderr.includes('before-restore')]).toEqual([0, true])
})

it('restore --replace replaces a corrupted database but keeps the old file, and backup reports the corruption', async () => {
  using folder = new TemporaryFolder()
  await using service = await ApiService.start()
  const [backup, dataDir] = [join(folder.path, 'whole.db'), join(folder.path, 'corrupted')]
  expect((await service.run('backup', backup)).code).toBe(0)
  mkdirSync(dataDir)
  const corrupted = 'this is not a database, although its name says so'
  writeFileSync(join(dataDir, 'hookline.db'), corrupted)
  const copied = await run([
    'backup',
    join(folder.path, 'c.db'),
    '--stopped',
    '--data-dir',
    dataDir,
  ])
  expect([copied.code, copied.stderr]).toEqual([
    1,
    expect.stringMatching(/hookline\.db is corrupted/),
  ])
  const args = ['restore', backup, '--replace', '--data-dir', dataDir]
  const unconfirmed = await run(args)
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
    2,
    expect.stringContaining(`This replaces the database in ${dataDir} (49 bytes`),
  ])
  const restored = await run([...args, '--yes'])
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('before-restore')])
  expect(readFileSync(join(dataDir, 'hookline.db.before-restore'), 'utf8')).toBe(corrupted)
  expect(readFileSync(join(dataDir, 'hookline.db')).equals(readFileSync(backup))).toBe(true)
  expect(existsSync(join(dataDir, 'hookline.db.restored'))).toBe(false)
})

it('start refuses a corrupted database and names rebuild, which preserves the configuration', async () => {
  using folder = new TemporaryFolder()
  const dataDir = join(folder.path, 'data')
  const file = join(dataDir, 'hookline.db')
  const source = async (): Promise<string> => {
    const { service, ready } = await startOn(dataDir)
    await using running = service
    const json = async <T>(...args: readonly string[]): Promise<T> => {
      const flags = ['--token-file', ready.tokenFile, '--json']
      const { stdout } = await run([...args, ...flags], { env: { HOOKLINE_URL: ready.url } })
      return JSON.parse(stdout) as T
    }
    const { data } = await json<{ data: { id: string }[] }>('sources', 'list')
    const { id } = data[0] ?? (await json<{ id: string }>('sources', 'create', 'Shop'))
    running.signal('SIGTERM')
    await running.exit()
    return id
  }
  const id = await source()
  const bytes = readFileSync(file)
  // A page of an index, so nothing is lost.
  const page = pageOf(file, 'events_by_message_id')
  bytes.fill(0, (page - 1) * 4096, page * 4096)
  writeFileSync(file, bytes)
  const refused = await run(['start', '--port', '0', '--data-dir', dataDir, '--json'])
  expect([refused.code, errorOf(refused)]).toMatchObject([
    1,
    { code: 'database_corrupted', message: expect.stringContaining('hookline rebuild') },
  ])
  const unconfirmed = await run(['rebuild', '--data-dir', dataDir])
  expect([unconfirmed.code, readFileSync(file).equals(bytes)]).toEqual([2, true])
  const rebuilt = await run(['rebuild', '--data-dir', dataDir, '--yes'])
  expect([rebuilt.code, rebuilt.stdout, rebuilt.stderr]).toEqual([
    0,
    expect.stringContaining('readable'),
    expect.stringContaining('hookline.db.corrupted'),
  ])
  expect(existsSync(`${file}.corrupted`)).toBe(true)
  expect(await source()).toBe(id)
})

function pageOf(file: string, table: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  return Number(db.prepare('SELECT pageno FROM dbstat WHERE name = ?').get(table)!['pageno'])
}
