import { type Destination, newId, type Source } from '@hookline/protocol'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { DeletionRequest } from '../../src/backend/deletions.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { DeletionWorker } from '../../src/deletions/deletion-worker.ts'
import { acceptedEvent, NOON } from '../harness/accepted-event.ts'
import { filesWith } from '../harness/bytes-in-folder.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { NO_ACTIVITY } from '../harness/no-activity.ts'
import { RunningWorker } from '../harness/running-worker.ts'
import { TemporaryFolder } from '../harness/temporary-folder.ts'

const FIXTURE = fileURLToPath(new URL('killed-deletion.ts', import.meta.url))
const PLANTED = 'PLANTED-VALUE'

const open = (dataDir: string): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 })

function source(id: string): Source {
  const times = { createdAt: NOON, updatedAt: NOON, version: 1 }
  return { id, name: id, enabled: true, rateLimit: null, writeKeys: [], ...times }
}

function destination(id: string, change: Partial<Destination> = {}): Destination {
  return {
    id,
    sourceId: 'src_a',
    type: 'Webhooks',
    name: id,
    enabled: true,
    paused: null,
    settings: {
      sharedSecret: null,
      webhooks: [{ url: 'https://example.com/', headers: {} }],
      successPolicy: 'any',
    },
    createdAt: NOON,
    updatedAt: NOON,
    version: 1,
    ...change,
  }
}

async function setUp({ catalog }: Backend): Promise<void> {
  await catalog.putSource(source('src_a'))
  await catalog.putSource(source('src_b'))
  await catalog.putDestination(destination('dst_a'))
  await catalog.putDestination(destination('dst_off', { enabled: false }))
  await catalog.putDestination(destination('dst_b', { sourceId: 'src_b' }))
}

async function ask(
  { deletions }: Backend,
  userIds: readonly string[],
  change: Partial<DeletionRequest> = {},
): Promise<string> {
  const id = newId('del', NOON)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: userIds.length }
  await deletions.create({ ...request, ...change }, userIds)
  return id
}

async function carryOut(backend: Backend): Promise<void> {
  const { promise: isDone, resolve } = Promise.withResolvers<void>()
  const worker = new DeletionWorker({
    ...backend,
    activity: NO_ACTIVITY,
    clock: new ManualClock(NOON),
    logger: pino({ level: 'silent' }),
    onNotices: resolve,
  })
  await using _running = new RunningWorker(worker)
  await isDone
}

/** What there is in the end, but for times. */
async function outcome(backend: Backend, id: string): Promise<object> {
  const { step, purged } = (await backend.deletions.find(id))!
  const notices = await backend.notices.list(id, { limit: 10_000 })
  const { data: left } = await backend.events.list({}, { limit: 200 })
  return {
    step,
    purged,
    notices: notices.data.map(({ id: noticeId, destinationId, userId, state }) => [
      noticeId,
      destinationId,
      userId,
      state,
    ]),
    left: left.map(({ event }) => event.userId),
    isSuppressed: backend.suppressions.has('src_b', 'user-249'),
  }
}

test('one notice for each user and destination that is on, in the sources it is about', async () => {
  using folder = new TemporaryFolder()
  await using backend = await open(folder.path)
  await setUp(backend)
  const everywhere = await ask(backend, ['u1', 'u2'])
  await carryOut(backend)
  const inOne = await ask(backend, ['u1'], { sourceIds: ['src_b'] })
  await carryOut(backend)
  const about = async (id: string): Promise<string[]> =>
    (await backend.notices.list(id, { limit: 99 })).data
      .map(({ destinationId, userId }) => `${destinationId} ${userId}`)
      .toSorted()
  expect(await about(everywhere)).toEqual(['dst_a u1', 'dst_a u2', 'dst_b u1', 'dst_b u2'])
  expect(await about(inOne)).toEqual(['dst_b u1'])
})

test('without suppress the user may come back; with it, what came before it was in force is purged', async () => {
  using folder = new TemporaryFolder()
  await using backend = await open(folder.path)
  await setUp(backend)
  await backend.log.append([acceptedEvent()])
  await ask(backend, ['u1'])
  await carryOut(backend)
  expect(backend.suppressions.has('src_a', 'u1')).toBe(false)
  const later = acceptedEvent({ receivedAt: '2026-01-15T12:00:00.001Z' })
  await backend.log.append([later])
  expect(await backend.events.find(later.id)).toBeDefined()
  expect(backend.deletions.isPurged(later)).toBe(false)
  await ask(backend, ['u1'], { suppress: true, sourceIds: ['src_a'] })
  await carryOut(backend)
  expect(backend.suppressions.has('src_a', 'u1')).toBe(true)
  expect(backend.suppressions.has('src_b', 'u1')).toBe(false)
})

test(
  'killed at any step and started again, it comes to the same end, each notice once with the same id',
  { timeout: 120_000 },
  async () => {
    using folder = new TemporaryFolder()
    const prepared = join(folder.path, 'prepared')
    const userIds = Array.from({ length: 250 }, (_, index) => `user-${index}`)
    const id = await prepare(prepared, userIds)

    const whole = join(folder.path, 'whole')
    cpSync(prepared, whole, { recursive: true })
    expect(await run(whole, 0)).toBe(0)
    const expected = await readOutcome(whole, id)
    expect(expected).toMatchObject({ step: 'done', left: ['stranger'], isSuppressed: true })

    let kills = 0
    for (let killAt = 1; ; killAt++) {
      const dataDir = join(folder.path, `killed-${killAt}`)
      cpSync(prepared, dataDir, { recursive: true })
      const code = await run(dataDir, killAt)
      if (code === 0) break
      kills++
      expect(await run(dataDir, 0)).toBe(0)
      expect(await readOutcome(dataDir, id), `killed at ${killAt}`).toEqual(expected)
      expect(filesWith(dataDir, PLANTED), `killed at ${killAt}`).toEqual([])
    }
    // Begin, two slices of users and the end of each of three steps, the erasing: before and after each.
    // On a slow machine a purge takes more slices.
    expect(kills).toBeGreaterThanOrEqual(2 * (1 + 3 * 3 + 1))
  },
)

async function prepare(dataDir: string, userIds: readonly string[]): Promise<string> {
  await using backend = await open(dataDir)
  await setUp(backend)
  const properties = { planted: PLANTED }
  const events = userIds.map((userId) => acceptedEvent({ userId, properties }))
  await backend.log.append([...events, acceptedEvent({ userId: 'stranger' })])
  return ask(backend, userIds, { suppress: true })
}

async function readOutcome(dataDir: string, id: string): Promise<object> {
  await using backend = await open(dataDir)
  return outcome(backend, id)
}

/** Carries the deletions out in a process that is killed at a moment; 0 for never. Returns its exit code. */
async function run(dataDir: string, killAt: number): Promise<number | null> {
  const args = ['--conditions=hookline-source', FIXTURE, dataDir, String(killAt)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'exit')
  return child.exitCode
}
