import { describe, expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../src/backend/backend.ts'
import { type Clock, systemClock } from '../../src/util/time/clock.ts'
import { MAX_SLICE_MS } from '../../src/util/time/time-slices.ts'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

describe('the pipeline', () => {
  test('creates a delivery for each destination that takes the event, and stores why others do not', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    await engine.destination('dst_b', receiver.url)
    await engine.destination('dst_off', receiver.url, {
      enabled: false,
      enabledChangedAt: 7,
    })
    await engine.destination('dst_other', receiver.url, { sourceId: 'src_b' })
    const event = acceptedEvent({ integrations: { dst_b: false } })
    await engine.backend.log.append([event])
    await expect
      .poll(() => engine.deliveries({ eventId: event.id }))
      .toMatchObject([{ destinationId: 'dst_a', state: 'delivered', attemptCount: 1 }])
    const archived = await engine.backend.events.find(event.id)
    expect(archived?.declined).toEqual([
      { destinationId: 'dst_b', reason: 'integrations' },
      { destinationId: 'dst_off', reason: 'destination_disabled', since: 7 },
    ])
    expect(receiver.requests).toHaveLength(1)
  })

  test('delivers the first of several events with the same messageId, and counts the duplicates', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    const events = [1, 2, 3].map(() => acceptedEvent({ messageId: 'same' }))
    for (const event of events) await engine.backend.log.append([event])
    const count = async (reason: string) => {
      const { values } = await engine.metrics.decisions.get()
      return values.find(({ labels }) => labels.reason === reason)?.value
    }
    await expect.poll(() => count('duplicate')).toBe(2)
    expect(await count('deliver')).toBe(1)
    expect((await engine.backend.events.find(events[0]!.id))?.duplicates).toBe(2)
    await receiver.waitFor(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(1)
  })

  test('after a crash delivers only the events that have no delivery', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    const [done, left] = [acceptedEvent(), acceptedEvent()]
    {
      await using engine = await TestEngine.open({}, folder)
      await engine.destination('dst_a', receiver.url)
      // Delivered and recorded. Resetting the position simulates a crash before the ack.
      await engine.backend.log.append([done])
      await expect.poll(() => engine.deliveries({ eventId: done.id })).toHaveLength(1)
    }
    rewindLog(folder.path)
    await using engine = await TestEngine.open({}, folder)
    await engine.backend.log.append([left])
    await expect.poll(() => engine.deliveries({ eventId: left.id })).toHaveLength(1)
    await receiver.waitFor(2)
    expect(receiver.requests).toHaveLength(2)
  })

  test('acks an event that no destination takes', async () => {
    using folder = new TemporaryFolder()
    {
      await using engine = await TestEngine.open({}, folder)
      await engine.receive(3)
      await expect.poll(() => positionOf(folder.path)).toBe(3)
    }
  })

  test('quarantines an event from an unknown source, and delivers the others', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    const [stranger, event] = [acceptedEvent({ sourceId: 'src_elsewhere' }), acceptedEvent()]
    await engine.backend.log.append([stranger, event])
    await receiver.waitFor(1)
    const unknown = engine.logged.filter(({ msg }) => msg === 'source.unknown')
    expect(unknown).toMatchObject([{ sourceId: 'src_elsewhere', events: 1 }])
    expect((await engine.backend.upkeep.backlog()).quarantined).toBe(1)
    expect((await engine.backend.events.find(stranger.id))?.sourceId).toBe('src_elsewhere')
  })

  test('logs the events from an unknown source once in ten seconds, however many there are', async () => {
    await using engine = await TestEngine.open()
    const strangers = () =>
      Array.from({ length: 200 }, () => acceptedEvent({ sourceId: 'src_elsewhere' }))
    for (let appended = 0; appended < 5; appended++) await engine.backend.log.append(strangers())
    const quarantined = async () => (await engine.backend.upkeep.backlog()).quarantined
    await expect.poll(quarantined).toBe(1_000)
    expect(engine.logged.filter(({ msg }) => msg === 'source.unknown')).toHaveLength(1)
  })

  test.each([
    ['an event of an unknown source', false],
    ['an unreadable entry', true],
  ])('returns entries to the log if %s cannot be quarantined in time', async (_, isUnreadable) => {
    let isDown = true
    const consumed: number[] = []
    const through = withUnavailableQuarantine(consumed, { isDown: () => isDown, isUnreadable })
    await using engine = await TestEngine.open({ through })
    await engine.backend.log.append([acceptedEvent({ sourceId: 'src_elsewhere' })])
    await expect.poll(() => consumed.length).toBeGreaterThan(1)
    isDown = false
    const quarantined = async () => (await engine.backend.upkeep.backlog()).quarantined
    await expect.poll(quarantined).toBeGreaterThan(0)
  })

  test('archives an event whose source was removed after it arrived', async () => {
    using folder = new TemporaryFolder()
    await using engine = await TestEngine.open({}, folder)
    await engine.backend.catalog.removeSource('src_a')
    const event = acceptedEvent()
    await engine.backend.log.append([event])
    await expect.poll(() => engine.backend.events.find(event.id)).toBeDefined()
    await expect.poll(() => positionOf(folder.path)).toBe(1)
    expect((await engine.backend.upkeep.backlog()).quarantined).toBe(0)
  })

  test('yields to the event loop between reads of a backlog without deliveries', async () => {
    using folder = new TemporaryFolder()
    {
      await using engine = await TestEngine.open({}, folder)
      await engine.receive(5_000)
      await expect.poll(() => positionOf(folder.path)).toBe(5_000)
    }
    rewindLog(folder.path)
    const turns = new TurnCounter()
    const readAt: number[] = []
    const through = watchedReads(() => readAt.push(turns.count))
    await using _ = await TestEngine.open({ clock: clockWithoutTimeLeft(), through }, folder)
    await expect.poll(() => positionOf(folder.path)).toBe(5_000)
    turns.stop()
    expect(readAt.length).toBeGreaterThan(10)
    expect(new Set(readAt).size).toBe(readAt.length)
  })

  test('acks an event after a database outage, even if no other event follows', async () => {
    using folder = new TemporaryFolder()
    const clock = new ManualClock()
    await using engine = await TestEngine.open({ clock, through: failingAcks }, folder)
    change(
      folder.path,
      "CREATE TRIGGER stuck BEFORE UPDATE OF acked ON log_position BEGIN SELECT RAISE(ABORT, 'by the test'); END",
    )
    await engine.receive(1)
    const messages = (): string[] => engine.logged.map(({ msg }) => msg)
    await expect.poll(messages).toContain('backend.unavailable')
    change(folder.path, 'DROP TRIGGER stuck')
    await expect
      .poll(() => {
        clock.advance(1_000)
        return positionOf(folder.path)
      })
      .toBe(1)
  })
})

/** A clock that uses up a whole time slice at every step. */
function clockWithoutTimeLeft(): Clock {
  let at = systemClock.now()
  return { ...systemClock, now: () => (at += MAX_SLICE_MS) }
}

/** Counts the turns of the event loop. */
class TurnCounter {
  count = 0
  #next = setImmediate(() => this.#turn())

  stop(): void {
    clearImmediate(this.#next)
  }

  #turn(): void {
    this.count++
    this.#next = setImmediate(() => this.#turn())
  }
}

/** The backend, with `onRead` called for each read of the log. */
function watchedReads(onRead: () => void): (backend: Backend) => Backend {
  return (backend) => ({
    ...backend,
    log: {
      append: (events) => backend.log.append(events),
      ack: (entries) => backend.log.ack(entries),
      async *consume(options) {
        for await (const entries of backend.log.consume(options)) {
          onRead()
          yield entries
        }
      },
    },
  })
}

/** The backend, whose acks reject with BackendUnavailableError if the database refuses them. */
function failingAcks(backend: Backend): Backend {
  const { log } = backend
  return {
    ...backend,
    log: {
      append: (events) => log.append(events),
      consume: (options) => log.consume(options),
      ack: (entries) =>
        log.ack(entries).catch((cause: unknown) => {
          throw new BackendUnavailableError('simulated outage', { cause })
        }),
    },
  }
}

/**
 * The backend, whose log returns entries after 100 ms, and whose quarantine is unavailable while
 * `isDown`.
 */
function withUnavailableQuarantine(
  consumed: number[],
  { isDown, isUnreadable }: { readonly isDown: () => boolean; readonly isUnreadable: boolean },
): (backend: Backend) => Backend {
  return (backend) => ({
    ...backend,
    quarantine: {
      add: (items) =>
        isDown()
          ? Promise.reject(new BackendUnavailableError('simulated outage'))
          : backend.quarantine.add(items),
    },
    log: {
      maxRetryMs: 100,
      append: (events) => backend.log.append(events),
      ack: (entries) => backend.log.ack(entries),
      async *consume(options) {
        consumed.push(consumed.length)
        const unreadable = isUnreadable ? [{ id: 'message', reason: 'simulated corruption' }] : []
        for await (const entries of backend.log.consume(options))
          yield entries.map((entry) => ({ ...entry, unreadable }))
      },
    },
  })
}

function change(dataDir: string, sql: string): void {
  using db = openDatabaseOfRunningService(dataDir)
  db.exec(sql)
}

function rewindLog(dataDir: string): void {
  change(dataDir, 'UPDATE log_position SET acked = 0')
}

function positionOf(dataDir: string): unknown {
  using db = openDatabaseOfRunningService(dataDir)
  return db.prepare('SELECT acked FROM log_position').get()?.['acked']
}
