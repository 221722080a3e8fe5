import pino from 'pino'
import { expect, test } from 'vitest'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import type { SuppressedCalls, Suppressions } from '../../../src/backend/deletions.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { SuppressedCallRecorder } from '../../../src/ingest/calls/suppressed-call-recorder.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { IngestHarness } from '../ingest-harness.ts'

const suppression = { kind: 'user', sourceId: null, since: NOON, deletionId: 'del_a' } as const

test('each call from a suppressed user is counted once, at the time of its request, and others are stored', async () => {
  await using harness = await IngestHarness.open()
  const { suppressions } = harness.backend
  await suppressions.add([
    { ...suppression, id: 'u1' },
    { ...suppression, id: 'u2' },
  ])
  const batch = [
    { type: 'page', userId: 'u1' },
    { type: 'page', userId: 'u3' },
    { type: 'alias', userId: 'u1', previousId: 'u1' },
    { type: 'alias', userId: 'u2', previousId: 'u1' },
  ]
  harness.clock.advance(1000)
  expect((await harness.post('/v1/batch', { batch })).status).toBe(200)
  const at = harness.clock.now()
  expect((await harness.stored()).map(({ event }) => event.userId)).toEqual(['u3'])
  const countsOf = async (userId: string): Promise<unknown[]> => {
    const { data } = await suppressions.find({ kind: 'user', id: userId }, 9)
    return data.map(({ droppedCalls, lastDroppedAt }) => [droppedCalls, lastDroppedAt])
  }
  await expect.poll(() => countsOf('u1')).toEqual([[3, at]])
  expect(await countsOf('u2')).toEqual([[1, at]])
})

test('calls that cannot be counted are logged at most once in ten seconds', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  await backend.suppressions.add([{ ...suppression, id: 'u1' }])
  {
    using database = openDatabaseOfRunningService(folder.path)
    database.exec(
      `CREATE TRIGGER no_counts BEFORE UPDATE ON suppressions BEGIN SELECT RAISE(ABORT, 'no counts'); END`,
    )
  }
  const lines: Record<string, unknown>[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const clock = new ManualClock()
  let ended = 0
  const { suppressions } = backend
  const failing: Suppressions = Object.assign(Object.create(suppressions) as Suppressions, {
    has: suppressions.has.bind(suppressions),
    countSuppressed: (calls: SuppressedCalls) =>
      suppressions.countSuppressed(calls).finally(() => ended++),
  })
  const recorder = new SuppressedCallRecorder(failing, clock, logger)
  const suppressed = [acceptedEvent({ userId: 'u1' })]
  for (let n = 0; n < 3; n += 1) recorder.record(suppressed)
  await expect.poll(() => lines).toMatchObject([{ msg: 'suppression.count_failed', failures: 1 }])
  // The second write covers the other two calls.
  await expect.poll(() => ended).toBe(2)
  // The failure of the second write may be counted after its end.
  await expect
    .poll(() => {
      clock.advance(10_000)
      return lines.slice(1)
    })
    .toMatchObject([{ failures: 2 }])
})

test('suppressed calls that arrive during a write share one more write, however many there are', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const { suppressions } = backend
  await suppressions.add([{ ...suppression, id: 'u1' }])
  let writes = 0
  const counted: Suppressions = Object.assign(Object.create(suppressions) as Suppressions, {
    has: suppressions.has.bind(suppressions),
    countSuppressed: (calls: SuppressedCalls) => {
      writes++
      return suppressions.countSuppressed(calls)
    },
  })
  const recorder = new SuppressedCallRecorder(counted, new ManualClock(), pino({ level: 'silent' }))
  for (let n = 0; n < 1_000; n += 1) recorder.record([acceptedEvent({ userId: 'u1' })])
  await expect
    .poll(
      async () => (await suppressions.find({ kind: 'user', id: 'u1' }, 9)).data[0]?.droppedCalls,
    )
    .toBe(1_000)
  expect(writes).toBe(2)
})
