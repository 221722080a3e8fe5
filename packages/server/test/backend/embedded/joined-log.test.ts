import { expect, onTestFinished, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../../src/backend/backend.ts'
import { joinEmbeddedLog, type JoinLogData } from '../../../src/backend/embedded/join.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import type { JoinedLog } from '../../../src/backend/threads.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Opens a backend and joins it like another thread. */
async function open({ maxWaitingBytes = 2 ** 20 } = {}): Promise<{
  readonly backend: Backend
  readonly joined: JoinedLog
}> {
  const stack = new AsyncDisposableStack()
  onTestFinished(() => stack.disposeAsync())
  const { path: dataDir } = stack.use(new TemporaryFolder())
  const options = { dataDir, maxWaitingBytes, appendingThreads: 1 }
  const backend = stack.use(await openEmbeddedBackend(options))
  const { data } = backend.threads.connectToLog(1)
  const onCorruption = (error: Error): void => expect.unreachable(error.message)
  const joined = stack.use(await joinEmbeddedLog(data as JoinLogData, { onCorruption }))
  return { backend, joined }
}

test('a suppression applies once all calls accepted before it are in the log', async () => {
  const { backend, joined } = await open()
  const ada = { kind: 'user', id: 'ada' } as const
  await backend.suppressions.add([{ ...ada, sourceId: null, since: 0, deletionId: 'del_1' }])
  let settled = 0
  // The second append waits for the commit of the first.
  for (let count = 0; count < 2; count++) {
    const ended = (): number => settled++
    void joined.log.append([acceptedEvent({ userId: 'ada' })]).then(ended)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(joined.suppressions.has('src_any', 'user', 'ada')).toBe(false)
  await joined.apply({ kind: 'suppressions' })
  expect(joined.suppressions.has('src_any', 'user', 'ada')).toBe(true)
  expect(settled).toBe(2)
  await backend.suppressions.remove(ada)
  await joined.apply({ kind: 'suppressions' })
  expect(joined.suppressions.has('src_any', 'user', 'ada')).toBe(false)
})

test('main is notified of an append by another thread before the consumer gets it', async () => {
  const { backend, joined } = await open()
  const order: string[] = []
  backend.threads.onAppended((events) => order.push(...events.map(({ id }) => `received ${id}`)))
  const event = acceptedEvent({})
  await joined.log.append([event])
  const stop = new AbortController()
  for await (const entries of backend.log.consume({ signal: stop.signal })) {
    for (const { events } of entries) order.push(...events.map(({ id }) => `consumed ${id}`))
    stop.abort()
  }
  expect(order).toEqual([`received ${event.id}`, `consumed ${event.id}`])
})

test('the bytes waiting for the disk share one budget, and a thread that exits releases its share', async () => {
  const { backend, joined } = await open({ maxWaitingBytes: 3_000 })
  const large = (): ReturnType<typeof acceptedEvent> =>
    acceptedEvent({ properties: { text: 'x'.repeat(2_000) } })
  const inThread = joined.log.append([large()])
  await expect(backend.log.append([large()])).rejects.toThrow(BackendUnavailableError)
  // Another thread replaces this one, as if it had exited.
  backend.threads.connectToLog(1)
  await backend.log.append([large()])
  await inThread
})
