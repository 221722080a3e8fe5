import { acceptedEvent as acceptEvent } from '../../src/backend/accepted-event.ts'
import { type AcceptedEvent, BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { DeletionWorker } from '../../src/deletions/deletions.ts'
import { isSuppressed } from '../../src/ingest/calls/events-from-calls.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import {
  openBackendIn,
  requestDeletion,
  createSources,
} from '@hookline/testing/deletions/deletion-requests'

async function carryOut(backend: Backend): Promise<void> {
  const { promise: isDone, resolve } = Promise.withResolvers<void>()
  const worker = new DeletionWorker({
    ...backend,
    activity: NO_ACTIVITY,
    clock: new ManualClock(NOON),
    logger: pino({ level: 'silent' }),
    onErased: async () => undefined,
    onNotices: resolve,
  })
  await using _running = new RunningWorker(worker)
  await isDone
}

test('a deletion creates one notice for each user to each enabled destination of the sources it covers, except alert channels', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  await backend.catalog.putSource(newSource({ id: BUILT_IN_SOURCE_ID }))
  const channel = newDestination({ id: 'dst_channel', sourceId: BUILT_IN_SOURCE_ID })
  await backend.catalog.putDestination(channel)
  const everywhere = await requestDeletion(backend, ['u1', 'u2'])
  await carryOut(backend)
  const inOne = await requestDeletion(backend, ['u1'], { sourceIds: ['src_b'] })
  await carryOut(backend)
  const about = async (id: string): Promise<string[]> =>
    (await backend.notices.list(id, { limit: 99 })).data
      .map(({ destinationId, subject }) => `${destinationId} ${subject.id}`)
      .toSorted()
  expect(await about(everywhere)).toEqual(['dst_a u1', 'dst_a u2', 'dst_b u1', 'dst_b u2'])
  expect(await about(inOne)).toEqual(['dst_b u1'])
})

test('a deletion that fails does not stop the others', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  const [bad, good] = [
    await requestDeletion(backend, ['u1']),
    await requestDeletion(backend, ['u2']),
  ]
  using db = openDatabaseOfRunningService(folder.path)
  db.exec(`CREATE TRIGGER broken BEFORE UPDATE ON deletions WHEN OLD.id = '${bad}'
    BEGIN SELECT RAISE(ABORT, 'broken by the test'); END`)
  await carryOut(backend)
  expect((await backend.deletions.find(good))?.step).toBe('done')
  expect((await backend.deletions.find(bad))?.startedAt).toBe(null)
})

test("a retry of a deletion's last step keeps the user on lists to which the user was added after the first try", async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  await requestDeletion(backend, ['u1'])
  const { memberships } = backend
  const list = { audienceId: 'aud_list', space: 'default' }
  await memberships.changeList(list, { add: ['u1'], remove: [], at: NOON })
  const listed = async (): Promise<number> =>
    (await memberships.listed('aud_list', { limit: 9 })).data.length
  const clock = new ManualClock(NOON)
  const failed = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  let tries = 0
  const worker = new DeletionWorker({
    ...backend,
    activity: NO_ACTIVITY,
    clock,
    logger: pino({}, { write: () => failed.resolve() }),
    async onErased() {
      if (tries++ === 0) throw new Error('failed by the test')
    },
    onNotices: done.resolve,
  })
  await using _running = new RunningWorker(worker)
  await failed.promise
  expect(await listed()).toBe(0)
  await memberships.changeList(list, { add: ['u1'], remove: [], at: NOON })
  clock.advance(10_000)
  await done.promise
  expect([tries, await listed()]).toEqual([2, 1])
})

test('a deletion that keeps failing is logged immediately, then every ten minutes with the number of failures', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  const deletionId = await requestDeletion(backend, ['u1'])
  using db = openDatabaseOfRunningService(folder.path)
  db.exec(`CREATE TRIGGER broken BEFORE UPDATE ON deletions
    BEGIN SELECT RAISE(ABORT, 'broken by the test'); END`)
  const clock = new ManualClock(NOON)
  const lines: { readonly msg: string; readonly failures: number }[] = []
  const worker = new DeletionWorker({
    ...backend,
    activity: NO_ACTIVITY,
    clock,
    logger: pino({}, { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) }),
    onErased: async () => undefined,
    onNotices: () => undefined,
  })
  await using _running = new RunningWorker(worker)
  await expect
    .poll(() => lines)
    .toMatchObject([{ msg: 'deletion.failed', deletionId, failures: 1 }])
  const tenSecondsLater = (): number => {
    clock.advance(10_000)
    return lines.length
  }
  await expect.poll(tenSecondsLater, { interval: 5, timeout: 20_000 }).toBe(2)
  expect(clock.now() - NOON).toBeGreaterThanOrEqual(10 * 60_000)
  expect(lines[1]!.failures).toBeGreaterThan(1)
})

test('without suppress, new events from the user are kept; with it, the user is suppressed in the given sources', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  await backend.log.append([acceptedEvent()])
  await requestDeletion(backend, ['u1'])
  await carryOut(backend)
  expect(backend.suppressions.has('src_a', 'user', 'u1')).toBe(false)
  const later = acceptedEvent({ receivedAt: '2026-01-15T12:00:00.001Z' })
  await backend.log.append([later])
  expect(await backend.events.find(later.id)).toBeDefined()
  expect(backend.deletions.isPurged(later)).toBe(false)
  await requestDeletion(backend, ['u1'], { suppress: true, sourceIds: ['src_a'] })
  await carryOut(backend)
  expect(backend.suppressions.has('src_a', 'user', 'u1')).toBe(true)
  expect(backend.suppressions.has('src_b', 'user', 'u1')).toBe(false)
})

test('a deletion of an anonymousId purges it, and suppresses calls without another id', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openBackendIn(folder.path)
  await createSources(backend)
  const [mine, other] = [acceptedEvent({ anonymousId: 'a1' }), acceptedEvent({ userId: 'a1' })]
  await backend.log.append([mine, other])
  const counts = { users: 1, anonymousUsers: 1 }
  const request = { id: 'del_01kf0v8w007000000000000000', createdAt: NOON, sourceIds: null }
  await backend.deletions.create(
    { ...request, ...counts, suppress: true },
    { userIds: ['a1'], anonymousIds: ['a1'] },
  )
  await carryOut(backend)
  expect((await backend.events.list({}, { limit: 9 })).data).toEqual([])
  const { data } = await backend.notices.list(request.id, { limit: 9 })
  const about = data.map(
    ({ destinationId, subject }) => `${destinationId} ${subject.kind} ${subject.id}`,
  )
  expect(about.toSorted()).toEqual([
    'dst_a anonymous a1',
    'dst_a user a1',
    'dst_b anonymous a1',
    'dst_b user a1',
  ])
  const ids = data.map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
  const { userId: _userId, ...ofVisitor } = mine.event
  const visitor = acceptEvent({
    id: 'evt_1',
    sourceId: mine.sourceId,
    warnings: [],
    event: ofVisitor,
  })
  const isLeftOut = (event: AcceptedEvent) => isSuppressed(event, backend.suppressions)
  expect([visitor, acceptedEvent({ anonymousId: 'a1' }), other].map(isLeftOut)).toEqual([
    true,
    false,
    true,
  ])
})
