import { describe, expect, test } from 'vitest'
import { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { NatsServers } from '@hookline/testing/cluster/nats-servers'
import { natsProgram } from '@hookline/testing/cluster/programs'
import { consumeAll } from './consume-all.ts'

const STREAM = 'test_log'
const OPTIONS = { prefix: 'test', replicas: 3, installation: { id: 'test', servers: null } }

/** The system clock, counting the timers started. */
function countingClock(): Clock & { waits: number } {
  const clock = {
    ...systemClock,
    waits: 0,
    after(delayMs: number, task: () => void): () => void {
      clock.waits += 1
      return systemClock.after(delayMs, task)
    },
  }
  return clock
}

describe.skipIf(natsProgram() === undefined)('the log on three servers', () => {
  test('is opened when the servers are ready', async () => {
    await using nats = await NatsServers.start(3)
    await using link = await NatsLink.open({ url: new Redacted(nats.url) })
    for (const { routes } of nats.all) for (const route of routes) route.cut('both')
    const clock = countingClock()
    const waiting = new ByteBudget(10_000_000)
    const opening = JetStreamLog.open(link, { ...OPTIONS, waiting, clock })
    // The first attempt has failed.
    await expect.poll(() => clock.waits).toBeGreaterThan(0)
    for (const { routes } of nats.all) for (const route of routes) route.repair()
    await using log = await opening
    await log.append([acceptedEvent()])
    expect((await log.state()).undecided.events).toBe(1)
  })

  test('loses nothing and continues when a server that leads consumers is killed', async () => {
    await using nats = await NatsServers.start(3)
    const urlOf = (servers: readonly { port: number }[]) =>
      new Redacted(servers.map(({ port }) => `nats://127.0.0.1:${port}`).join())
    await using observing = await NatsLink.open({ url: urlOf(nats.all) })
    const leaders = async (): Promise<(string | undefined)[]> => {
      const consumers = await observing.manager.consumers.list(STREAM).next()
      return consumers.map(({ cluster }) => cluster?.leader)
    }
    const waiting = new ByteBudget(10_000_000)
    const open = (link: NatsLink) => JetStreamLog.open(link, { ...OPTIONS, waiting })
    // The first node to open the log creates the consumers.
    await using _made = await open(observing)
    await expect.poll(leaders).not.toContain(undefined)
    const [lost] = await leaders()
    // The log stays connected: only the leaders change.
    const others = nats.all.filter(({ name }) => name !== lost)
    await using link = await NatsLink.open({ url: urlOf(others) })
    await using log = await open(link)
    await using consuming = consumeAll(log)
    const { ids } = consuming
    const before = acceptedEvent()
    await log.append([before])
    await expect.poll(() => ids).toContain(before.id)
    await nats.all.find(({ name }) => name === lost)!.server.kill()
    const haveOthers = async (): Promise<boolean> => {
      const names = await leaders().catch(() => [undefined])
      return names.every((name) => name !== undefined && name !== lost)
    }
    await expect.poll(haveOthers, { interval: 50 }).toBe(true)
    const later = Array.from({ length: 20 }, (_, index) =>
      acceptedEvent({ sourceId: `src_${index}` }),
    )
    await log.append(later)
    await expect
      .poll(() => ids, { interval: 20 })
      .toEqual(expect.arrayContaining(later.map(({ id }) => id)))
  })
})
