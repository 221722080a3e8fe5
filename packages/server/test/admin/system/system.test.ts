import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { ProcessFacts, PresentedSetting } from '../../../src/admin/system.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { AdminServer } from '../admin-server.ts'

interface System {
  readonly dataDir: string | null
  readonly status: string
  readonly checkedAt: string
  readonly corruptions: readonly object[] | null
  readonly lastBackupAt: string | null
  readonly live: { readonly open: number; readonly max: number }
  readonly settings: readonly Readonly<Record<string, unknown>>[]
}

const SYSTEM: ProcessFacts = {
  version: '1.2.3',
  backend: 'embedded',
  callsPort: null,
  startedAt: NOON - 5_000,
  dataDir: '/srv/hookline',
  retentionMs: 60_000,
  retentionMaxBytes: 0,
  settings: [],
  readiness: async () => ({ status: 'ok', checks: { database: { ok: true } } }),
  failingWorkers: async () => new Map(),
}

/** The response for a viewer. */
async function asViewer(server: AdminServer): Promise<System> {
  const body = { name: 'wall', role: 'viewer' }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  const headers = { authorization: `Bearer ${token}` }
  return server.must<System>('GET', '/system', { headers, withoutToken: true })
}

test('shows the process, its checks, the stored data and the backlog', async () => {
  const checks = {
    database: { ok: true },
    workers: { ok: false, reason: 'Failed: retention (Error).' },
  }
  await using server = await AdminServer.open({
    system: {
      ...SYSTEM,
      readiness: async () => ({ status: 'unavailable', checks }),
      failingWorkers: async () => new Map([['retention', 'Error']]),
    },
  })
  const event = acceptedEvent({ receivedAt: '2026-01-15T11:59:58.000Z' })
  await server.backend.log.append([event, acceptedEvent()])
  expect(await server.must('GET', '/system')).toEqual({
    version: '1.2.3',
    node: process.versions.node,
    nodes: [],
    backend: 'embedded',
    dataDir: '/srv/hookline',
    time: '2026-01-15T12:00:00.000Z',
    startedAt: '2026-01-15T11:59:55.000Z',
    callsPort: null,
    uptimeMs: 5_000,
    status: 'unavailable',
    checks,
    checkedAt: '2026-01-15T12:00:00.000Z',
    failingWorkers: [{ name: 'retention', reason: 'Error' }],
    corruptions: [],
    storage: {
      usedBytes: expect.any(Number),
      databaseBytes: expect.any(Number),
      logBytes: expect.any(Number),
      freeBytes: expect.any(Number),
      events: 2,
      isExact: true,
      oldestEventAt: '2026-01-15T11:59:58.000Z',
      retentionMs: 60_000,
      retentionMaxBytes: null,
    },
    backlog: {
      undecided: { events: 2, oldestAt: '2026-01-15T11:59:58.000Z', ageMs: 2_000 },
      notInProfiles: null,
      pending: 0,
      held: 0,
      oldestPendingAt: null,
      oldestPendingAgeMs: null,
      quarantined: 0,
      openReplays: 0,
      openDeletions: 0,
    },
    live: { open: 0, max: 100 },
    lastBackupAt: null,
    settings: [],
  })
})

test('runs the checks at most once in ten seconds', async () => {
  let runs = 0
  const readiness: ProcessFacts['readiness'] = async () => {
    runs += 1
    return { status: 'ok', checks: {} }
  }
  await using server = await AdminServer.open({ system: { ...SYSTEM, readiness } })
  const get = (): Promise<System> => server.must('GET', '/system')
  await Promise.all([get(), get()])
  server.clock.advance(9_999)
  expect((await get()).checkedAt).toBe('2026-01-15T12:00:00.000Z')
  expect(runs).toBe(1)
  server.clock.advance(1)
  expect((await get()).checkedAt).toBe('2026-01-15T12:00:10.000Z')
  expect(runs).toBe(2)
})

test('only admins see paths, hosts and corruption, and no one sees secrets', async () => {
  const setting: PresentedSetting = {
    group: 'Server',
    name: 'port',
    flag: '--port',
    variable: 'HOOKLINE_PORT',
    value: '4800',
    isSet: true,
    default: '4800',
    origin: { kind: 'default' },
    isSecret: false,
    isLocation: false,
    help: 'Port.',
  }
  const file = { kind: 'file', name: '/etc/planted.yaml', key: 'data-dir' }
  await using server = await AdminServer.open({
    system: {
      ...SYSTEM,
      settings: [
        setting,
        { ...setting, name: 'dataDir', value: '/planted/data', isLocation: true, origin: file },
        { ...setting, name: 'adminToken', value: null, isSecret: true, origin: null },
        { ...setting, origin: { kind: 'flag', name: '--port' } },
      ],
    },
  })
  using db = new DatabaseSync(join(server.dataDir, 'hookline.db'))
  db.prepare('INSERT INTO corruptions VALUES (?, ?, 1)').run(NOON, 'planted corruption')
  const admin = await server.must<System>('GET', '/system')
  expect(admin.corruptions).toEqual([
    { foundAt: '2026-01-15T12:00:00.000Z', description: 'planted corruption' },
  ])
  expect(admin.settings).toMatchObject([
    { value: '4800', hidden: null, origin: { kind: 'default' } },
    { value: '/planted/data', hidden: null, origin: file },
    { value: null, hidden: 'secret', isSet: true, origin: null },
    { origin: { kind: 'flag', name: '--port' } },
  ])
  const viewer = await asViewer(server)
  expect(viewer).toMatchObject({ dataDir: null, corruptions: null, status: 'ok' })
  expect(viewer.settings).toMatchObject([
    { value: '4800', hidden: null },
    { value: null, hidden: 'admins_only', origin: { kind: 'file', key: 'data-dir' } },
    { value: null, hidden: 'secret' },
    { origin: { kind: 'flag', name: '--port' } },
  ])
  expect(JSON.stringify(viewer)).not.toMatch(/planted|\/srv/)
})

test('shows the last complete download of a backup', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'copy.db')
  writeFileSync(file, 'the database')
  const copy = { file, [Symbol.asyncDispose]: async () => undefined }
  await using server = await AdminServer.open({ copyDatabase: async () => copy })
  await server.call('GET', '/backup')
  const lastBackupAt = async () => (await server.must<System>('GET', '/system')).lastBackupAt
  await expect.poll(lastBackupAt).toBe('2026-01-15T12:00:00.000Z')
})

test('counts the open connections to the live tail', async () => {
  await using server = await AdminServer.open()
  const end = new AbortController()
  await server.stream('/live', { headers: {}, signal: end.signal })
  const open = async () => (await server.must<System>('GET', '/system')).live.open
  expect(await open()).toBe(1)
  end.abort()
  await expect.poll(open).toBe(0)
})
