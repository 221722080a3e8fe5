import { expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

test('a failing append does not make others in its transaction fail', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const [a, b, c] = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
  await backend.log.append([a])
  const results = await Promise.allSettled([
    backend.log.append([b]),
    backend.log.append([a]),
    backend.log.append([c]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const { data } = await backend.events.list({}, { limit: 10 })
  expect(data.map(({ id }) => id)).toEqual([c.id, b.id, a.id])
})

test('calls beyond the limit of bytes waiting for the disk are refused', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2000 })
  const big = (): Promise<void> =>
    backend.log.append([acceptedEvent({ properties: { text: 'x'.repeat(1500) } })])
  const results = await Promise.allSettled([big(), big()])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(BackendUnavailableError)
  // The first append is on disk, so there is room again.
  await big()
})

test('operations called before closing finish; later ones are refused', async () => {
  using folder = new TemporaryFolder()
  const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 20 }
  const backend = await openEmbeddedBackend(options)
  const event = acceptedEvent()
  const appended = backend.log.append([event])
  await backend[Symbol.asyncDispose]()
  await appended
  await expect(backend.log.append([acceptedEvent()])).rejects.toBeInstanceOf(
    BackendUnavailableError,
  )
  await expect(backend.probe()).rejects.toBeInstanceOf(BackendUnavailableError)
  await using again = await openEmbeddedBackend(options)
  expect(await again.events.find(event.id)).toBeDefined()
})
