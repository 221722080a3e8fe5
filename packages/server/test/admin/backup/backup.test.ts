import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Backups, type DatabaseCopy } from '../../../src/admin/backup.ts'
import { THRESHOLDS } from '../../../src/alerts/conditions.ts'
import { CopyNotSupportedError } from '../../../src/backend/backend.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { AdminServer } from '../admin-server.ts'

/** Makes copies on demand, and counts created and removed copies. */
class Copier {
  created = 0
  removed = 0
  readonly #file: string
  #hold: Promise<void> = Promise.resolve()

  constructor({ path }: TemporaryFolder) {
    this.#file = join(path, 'copy.db')
    writeFileSync(this.#file, 'the database')
  }

  /** Makes the next copies wait until the returned function is called. */
  pause(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#hold = promise
    return resolve
  }

  readonly copy = async (): Promise<DatabaseCopy> => {
    this.created += 1
    await this.#hold
    const remove = async (): Promise<void> => void (this.removed += 1)
    return { file: this.#file, [Symbol.asyncDispose]: remove }
  }
}

test('a backup is a copy of the database, and the copy is removed afterwards', async () => {
  using folder = new TemporaryFolder()
  const copier = new Copier(folder)
  await using server = await AdminServer.open({ copyDatabase: copier.copy })
  const { status, headers, text } = await server.call('GET', '/backup')
  expect([status, headers.get('content-length'), text]).toEqual([200, '12', 'the database'])
  await expect.poll(() => copier.removed).toBe(1)
})

test('an old backup is a problem, and the time of the last backup is stored', async () => {
  using folder = new TemporaryFolder()
  const { copy } = new Copier(folder)
  await using server = await AdminServer.open({ copyDatabase: copy })
  const conditions = async () => {
    const { data } = await server.must<{ data: { condition: string }[] }>('GET', '/problems')
    return data.map(({ condition }) => condition).filter((each) => each !== 'disk_low')
  }
  server.clock.advance(THRESHOLDS.maxBackupAgeMs + 1)
  expect(await conditions()).toEqual([])
  await server.call('GET', '/backup')
  const at = server.clock.wall()
  await expect.poll(async () => (await Backups.open(server.backend.alertStates)).lastAt).toBe(at)
  server.clock.advance(THRESHOLDS.maxBackupAgeMs)
  expect(await conditions()).toEqual([])
  server.clock.advance(1)
  expect(await conditions()).toEqual(['backup_old'])
  expect(await server.must('GET', '/alerts')).toMatchObject({ heldBack: 0 })
})

test('only one backup runs at a time, and a client that disconnects does not block the next one', async () => {
  using folder = new TemporaryFolder()
  const copier = new Copier(folder)
  await using server = await AdminServer.open({ copyDatabase: copier.copy })
  const goOn = copier.pause()
  const abort = new AbortController()
  const first = server.stream('/backup', { headers: {}, signal: abort.signal })
  await expect.poll(() => copier.created).toBe(1)
  expect((await server.call('GET', '/backup')).status).toBe(409)
  abort.abort()
  await expect(first).rejects.toThrow('aborted')
  await expect.poll(() => server.aborted).toBe(1)
  goOn()
  await expect.poll(() => copier.removed).toBe(1)
  expect((await server.call('GET', '/backup')).status).toBe(200)
})

test('a backend without backup files refuses every backup, and names the alternative', async () => {
  const copyDatabase = () => Promise.reject(new CopyNotSupportedError('Use pg_dump.'))
  await using server = await AdminServer.open({ copyDatabase })
  for (let call = 0; call < 2; call++) {
    const { status, body } = await server.call('GET', '/backup')
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'backup_unsupported', detail: 'Use pg_dump.' })
  }
})
