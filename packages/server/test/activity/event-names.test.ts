import { setTimeout } from 'node:timers/promises'
import { type AcceptedEvent, type JsonObject, LIMITS } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { EventNameCounts } from '../../src/activity/event-name-counts.ts'
import { EventNameWorker } from '../../src/activity/event-name-worker.ts'
import { type EventName, type SeenName, type SeenNames } from '../../src/backend/event-names.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { shortHash } from '../../src/util/short-hash.ts'
import { systemClock } from '../../src/util/time/clock.ts'
import { RunningWorker } from '@hookline/testing/engine/running-worker'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { computedEvent } from '@hookline/testing/records/computed-event'

const counted = (...events: readonly AcceptedEvent[]): readonly SeenName[] => {
  const counts = new EventNameCounts()
  for (const event of events) counts.add(event)
  return counts.changes()
}

const numbered = (count: number, nameOf: (index: number) => string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), index]))

test('counts each call under its name, with the types of its properties or traits', () => {
  const values = { a: '', b: 1, c: true, d: {}, e: [], f: null, ['__proto__']: 1 }
  const names = counted(
    acceptedEvent({ event: 'Order', properties: values }),
    acceptedEvent({ event: 'Order', properties: { a: 2 }, at: NOON + 5 }),
    acceptedEvent({ type: 'page', name: 'Home', properties: { url: '/' } }),
    acceptedEvent({ type: 'page', properties: {} }),
    acceptedEvent({ type: 'identify', traits: { plan: 'pro' } }),
    acceptedEvent({ type: 'group', groupId: 'g', traits: { size: 3 } }),
    acceptedEvent({ type: 'alias', previousId: 'u0' }),
  )
  const found = names.map(({ type, name, count, properties }) => {
    return [type, name, count, ...properties.map((each) => `${each.name}: ${each.types.join()}`)]
  })
  expect(found).toEqual([
    [
      'track',
      'Order',
      2,
      'a: string,number',
      'b: number',
      'c: boolean',
      'd: object',
      'e: array',
      'f: null',
      '__proto__: number',
    ],
    ['page', 'Home', 1, 'url: string'],
    ['page', '', 1],
    ['identify', '', 1, 'plan: string'],
    ['group', '', 1, 'size: number'],
    ['alias', '', 1],
  ])
  expect(names[0]).toMatchObject({ firstSeenAt: NOON, lastSeenAt: NOON + 5 })
  expect(names[0]!.properties[0]).toMatchObject({ name: 'a', lastSeenAt: NOON + 5 })
})

const user = (id: string): string => shortHash(`user ${id}`)

test('remembers the user of a name or property that only one user sent', () => {
  const [shared, sole, none] = counted(
    acceptedEvent({ userId: 'u1', anonymousId: 'a1', properties: { a: 1, b: 1 } }),
    acceptedEvent({ userId: 'u2', properties: { a: 1 } }),
    acceptedEvent({ userId: 'u1', properties: { a: 1, b: 1 } }),
    acceptedEvent({ event: 'Sole', userId: undefined as never, anonymousId: 'a1' }),
    acceptedEvent({ type: 'group', userId: undefined as never, groupId: 'g' }),
  )
  expect(shared!.soleUser).toBe('')
  expect(shared!.properties.map(({ soleUser }) => soleUser)).toEqual(['', user('u1')])
  expect(sole!.soleUser).toBe(shortHash('anonymous a1'))
  expect(none!.soleUser).toBe('')
})

test('counts are bounded, regardless of the names', () => {
  const long = 'x'.repeat(LIMITS.catalogNameCharacters + 1)
  const [over, many] = counted(
    acceptedEvent({ event: long }),
    acceptedEvent({ event: `${long}y` }),
    acceptedEvent({ properties: { [long]: 1, ...numbered(200, (index) => `p${index}`) } }),
  )
  expect(over).toMatchObject({ type: '', name: '', count: 2, properties: [] })
  expect(many).toMatchObject({ hasMoreProperties: true })
  expect(many!.properties).toHaveLength(LIMITS.propertiesPerEventName)

  const counts = new EventNameCounts()
  let events = 0
  for (; !counts.isFull; events++)
    counts.add(acceptedEvent({ event: `e${events}`, properties: numbered(99, String) }))
  expect(events).toBe(5)
})

test('a known property is written again after a minute, with a new type, or with a second user', () => {
  const counts = new EventNameCounts()
  const changed = (change: Parameters<typeof acceptedEvent>[0]): readonly string[] => {
    counts.add(acceptedEvent(change))
    const [name] = counts.changes()
    expect(name).toMatchObject({ count: 1 })
    counts.stored()
    return name!.properties.map((each) => `${each.name} ${each.types.join()} ${each.soleUser}`)
  }
  const u1 = user('u1')
  const properties = { a: 1, b: '' }
  expect(changed({ properties })).toEqual([`a number ${u1}`, `b string ${u1}`])
  expect(changed({ properties, at: NOON + 59_999 })).toEqual([])
  expect(changed({ properties: { a: '', b: '' } })).toEqual([`a number,string ${u1}`])
  expect(changed({ properties: { b: '' }, userId: 'u2' })).toEqual(['b string '])
  expect(changed({ properties: { b: '' }, userId: 'u3' })).toEqual([])
  expect(changed({ properties, at: NOON + 60_000 })).toHaveLength(2)
  expect(counts.changes()).toEqual([])
})

/** A database with the source `src_a`. */
class Archive implements AsyncDisposable {
  readonly #folder = new TemporaryFolder()

  open() {
    return openEmbeddedBackend({ dataDir: this.#folder.path, maxWaitingBytes: 2 ** 26 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#folder[Symbol.dispose]()
  }
}

type Opened = Awaited<ReturnType<Archive['open']>>

const run = (backend: Pick<Opened, 'eventNames' | 'followedLog'>): RunningWorker =>
  new RunningWorker(new EventNameWorker({ ...backend, clock: systemClock }))

const countsOf = async ({ eventNames }: Opened): Promise<Record<string, number>> => {
  const { data } = await eventNames.list({}, { limit: 200 })
  return Object.fromEntries(data.map(({ name, count }: EventName) => [name, count]))
}

const some = (count: number, event: string): AcceptedEvent[] =>
  Array.from({ length: count }, () => acceptedEvent({ event }))

test('every archived event counts once, even across restarts, and computed events do not count', async () => {
  await using archive = new Archive()
  for (const restarts of [1, 2, 3]) {
    await using backend = await archive.open()
    if (restarts === 1) await backend.catalog.putSource(newSource())
    // The worker finds some events when it starts, and gets more than one slice of them while it runs.
    await backend.log.append([...some(10, 'A'), computedEvent()])
    await using worker = run(backend)
    await backend.log.append(some(700, 'B'))
    await expect.poll(() => countsOf(backend)).toEqual({ A: 10 * restarts, B: 700 * restarts })
    expect(worker.failures).toEqual([])
  }
})

test('events count once if the process stops before or after a write', async () => {
  await using archive = new Archive()
  await using backend = await archive.open()
  await backend.catalog.putSource(newSource())
  const { eventNames } = backend
  const names = Array.from({ length: 5_000 }, (_, index) =>
    acceptedEvent({ event: `e${index % 900}`, properties: { [`p${index % 7}`]: 1 } }),
  )
  await backend.log.append(names)
  for (const fails of ['before', 'after', 'not']) {
    const add = async (seen: SeenNames): Promise<boolean> => {
      if (fails === 'before') throw new Error('stopped')
      const isAdded = await eventNames.add(seen)
      if (fails === 'after') throw new Error('stopped')
      return isAdded
    }
    await using worker = run({ ...backend, eventNames: { ...eventNames, add } })
    if (fails === 'not') break
    await expect.poll(() => worker.failures.length).toBeGreaterThan(0)
  }
  await using _worker = run(backend)
  const sum = async (): Promise<number> => {
    let total = 0
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await eventNames.list({}, { limit: 200, ...(cursor && { cursor }) })
      for (const { count } of page.data) total += count
      cursor = page.nextCursor
    }
    return total
  }
  await expect.poll(sum).toBe(5_000)
})

test('events are counted even while users are purged continuously', async () => {
  await using archive = new Archive()
  await using backend = await archive.open()
  await backend.catalog.putSource(newSource())
  await backend.log.append(some(700, 'A'))
  const { deletions } = backend
  const purges = async (): Promise<void> => {
    for (let index = 0; (await countsOf(backend))['A'] !== 700; index++) {
      const id = `del_${index}`
      const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
      await deletions.create(request, { userIds: [id] })
      await purgeAll(deletions, { deletionId: id, userIds: [id], sourceIds: null })
      await setTimeout(100)
    }
  }
  await using worker = run(backend)
  await purges()
  expect(worker.failures).toEqual([])
})

test('a name that only a purged user sent is not written after the purge', async () => {
  await using archive = new Archive()
  await using backend = await archive.open()
  await backend.catalog.putSource(newSource())
  await backend.log.append([
    acceptedEvent({ event: 'Order of u1' }),
    acceptedEvent({ event: 'Order', userId: 'u2' }),
  ])
  const { eventNames, deletions } = backend
  let purged: Promise<void> | undefined
  const purge = async (): Promise<void> => {
    const request = { id: 'del_a', createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
    await deletions.create(request, { userIds: ['u1'] })
    await purgeAll(deletions, { deletionId: 'del_a', userIds: ['u1'], sourceIds: null })
  }
  const add = async (seen: SeenNames): Promise<boolean> => {
    // Runs after the worker has read the events.
    await (purged ??= purge())
    return eventNames.add(seen)
  }
  await using worker = run({ ...backend, eventNames: { ...eventNames, add } })
  await expect.poll(() => countsOf(backend)).toEqual({ Order: 1 })
  expect(worker.failures).toEqual([])
})
