import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { type EmbeddedOptions, openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const openAt = (dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30, ...options })

/** The folder of a killed service: ten events in ten commits, all of them only in the write-ahead log. */
class KilledFolder extends TemporaryFolder {
  readonly dataDir = join(this.path, 'killed')

  static async make(): Promise<KilledFolder> {
    const folder = new KilledFolder()
    const running = join(folder.path, 'running')
    await using backend = await openAt(running)
    for (let n = 0; n < 10; n++) await backend.log.append([acceptedEvent({ userId: `u${n}` })])
    cpSync(running, folder.dataDir, { recursive: true })
    return folder
  }

  file(name: string): string {
    return join(this.dataDir, name)
  }

  /** Counts the events in the log. */
  async count(options: Partial<EmbeddedOptions> = {}): Promise<number> {
    await using backend = await openAt(this.dataDir, options)
    const { events } = await backend.followedLog.read({ after: 0, limit: 100 })
    return events.length
  }

  /** Expects a refused start. Returns its message and the number for `--accept-loss`. */
  async refused(): Promise<{ message: string; accept: number }> {
    const { message } = await openAt(this.dataDir).then(
      () => new Error('The start was not refused.'),
      (error: Error) => error,
    )
    return { message, accept: Number(/--accept-loss (\d+)/.exec(message)?.[1] ?? -1) }
  }
}

test('a service starts on the folder of a killed one without loss', async () => {
  using folder = await KilledFolder.make()
  expect(await folder.count()).toBe(10)
  expect(await folder.count()).toBe(10)
})

test('a removed write-ahead log is reported, and the start is refused until the loss is accepted', async () => {
  using folder = await KilledFolder.make()
  rmSync(folder.file('hookline.db-wal'))
  const { message, accept } = await folder.refused()
  expect(message).toMatch(/commits are missing.*At most 10 events \(numbers 1 to 10\) may be lost/)
  expect((await folder.refused()).accept).toBe(accept)
  const reported: string[] = []
  const onCorruption = (description: string): void => void reported.push(description)
  expect(await folder.count({ acceptLoss: accept, onCorruption })).toBe(0)
  expect(reported).toEqual([expect.stringContaining('commits are missing')])
  // Only once: nothing is missing on the next start.
  expect(await folder.count({ acceptLoss: accept, onCorruption })).toBe(0)
  expect(reported).toHaveLength(1)
})

test('a truncated write-ahead log is reported with the missing events', async () => {
  using folder = await KilledFolder.make()
  const wal = folder.file('hookline.db-wal')
  truncateSync(wal, statSync(wal).size - 4096)
  const { message, accept } = await folder.refused()
  expect(message).toMatch(/^The last commit is missing.*At most 1 event \(number 10\)/)
  expect(await folder.count({ acceptLoss: accept })).toBe(9)
})

test('accepting one loss does not accept another', async () => {
  using folder = await KilledFolder.make()
  const wal = folder.file('hookline.db-wal')
  truncateSync(wal, statSync(wal).size - 4096)
  const { accept } = await folder.refused()
  rmSync(wal)
  await expect(openAt(folder.dataDir, { acceptLoss: accept })).rejects.toThrow('--accept-loss')
})

test.each([
  ['removed', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file, 0)],
] as const)('a database that was %s is not mistaken for a new one', async (_, corrupt) => {
  using folder = await KilledFolder.make()
  for (const name of ['hookline.db', 'hookline.db-wal', 'hookline.db-shm']) {
    if (name === 'hookline.db') corrupt(folder.file(name))
    else rmSync(folder.file(name))
  }
  const { message, accept } = await folder.refused()
  expect(message).toContain(
    "The database's last commit was number 10, and its last event number 10.",
  )
  expect(accept).toBe(0)
  expect(await folder.count({ acceptLoss: 0 })).toBe(0)
})

test('a removed database is detected from the encryption key alone', async () => {
  using folder = await KilledFolder.make()
  for (const name of ['hookline.db', 'hookline.db-wal', 'hookline.db-shm', 'last-commit'])
    rmSync(folder.file(name))
  expect((await folder.refused()).message).toContain('the folder was in use before')
})

test('an older copy of the database is detected', async () => {
  using folder = await KilledFolder.make()
  expect(await folder.count()).toBe(10)
  cpSync(folder.file('hookline.db'), folder.file('older'))
  {
    await using backend = await openAt(folder.dataDir)
    await backend.log.append([acceptedEvent({ userId: 'u10' })])
  }
  cpSync(folder.file('older'), folder.file('hookline.db'))
  expect((await folder.refused()).message).toContain('(number 11)')
})

test('a corrupt commit mark is reported, but does not block the start', async () => {
  using folder = await KilledFolder.make()
  const mark = readFileSync(folder.file('last-commit'))
  writeFileSync(folder.file('last-commit'), mark.fill(1))
  const reported: string[] = []
  expect(await folder.count({ onCorruption: (text) => void reported.push(text) })).toBe(10)
  expect(reported).toEqual([expect.stringContaining('is corrupted')])
})

test('one corrupted slot of the commit mark leaves the other usable', async () => {
  using folder = await KilledFolder.make()
  rmSync(folder.file('hookline.db-wal'))
  for (const slot of [0, 1]) {
    const whole = readFileSync(folder.file('last-commit'))
    writeFileSync(
      folder.file('last-commit'),
      Buffer.from(whole).fill(0, slot * 256, slot * 256 + 20),
    )
    expect((await folder.refused()).message).toMatch(/commits are missing/)
    writeFileSync(folder.file('last-commit'), whole)
  }
})

test('after a stop, a copy of the database file alone is complete', async () => {
  using folder = await KilledFolder.make()
  expect(await folder.count()).toBe(10)
  expect(statSync(folder.file('hookline.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  cpSync(folder.file('hookline.db'), folder.file('copy.db'))
  using copy = new DatabaseSync(folder.file('copy.db'))
  expect(copy.prepare('SELECT COUNT(*) AS count FROM events').get()).toEqual({ count: 10 })
})

test('an event with a changed byte is reported as corrupted', async () => {
  using folder = await KilledFolder.make()
  await folder.count()
  let corruptedId: unknown
  {
    using db = new DatabaseSync(folder.file('hookline.db'))
    db.exec(`UPDATE events SET body = replace(body, 'u3', 'u4') WHERE seq = 4`)
    corruptedId = db.prepare('SELECT id FROM events WHERE seq = 4').get()!['id']
  }
  await using backend = await openAt(folder.dataDir)
  const stop = new AbortController()
  for await (const entries of backend.log.consume({ signal: stop.signal })) {
    const corrupted = entries.flatMap(({ unreadable = [] }) => unreadable)
    expect(corrupted).toEqual([
      expect.objectContaining({ reason: 'The event in the database is corrupted.' }),
    ])
    expect(entries.flatMap(({ events }) => events)).toHaveLength(9)
    break
  }
  // Lists omit it.
  expect((await backend.events.list({}, { limit: 100 })).data).toHaveLength(9)
  expect(await backend.events.find(String(corruptedId))).toBeUndefined()
})

test('one flipped bit in the write-ahead log blocks the start until the reported loss is accepted', async () => {
  using folder = await KilledFolder.make()
  const wal = readFileSync(folder.file('hookline.db-wal'))
  const at = Math.floor(wal.length / 2)
  wal[at] = wal[at]! ^ 4
  writeFileSync(folder.file('hookline.db-wal'), wal)
  const { message, accept } = await folder.refused()
  const [, lost = ''] = /At most (\d+) events/.exec(message) ?? []
  // The files are unchanged, so they can still be repaired.
  expect(readFileSync(folder.file('hookline.db-wal'))).toEqual(wal)
  const reported: string[] = []
  const onCorruption = (text: string): void => void reported.push(text)
  expect(await folder.count({ acceptLoss: accept, onCorruption })).toBe(10 - Number(lost))
  expect(reported).toEqual([expect.stringMatching(/commits are missing from the database/)])
})
