import { cpSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../src/backend/backend.ts'
import { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { NatsLink } from '../../../src/backend/cluster/jetstream/nats-link.ts'
import type { LogEntry } from '../../../src/backend/log.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { natsProgram } from '@hookline/testing/cluster/programs'
import { consumeAll } from './consume-all.ts'

async function openLog({ url }: NatsServer, ackWaitMs = 30_000) {
  const link = await NatsLink.open({ url: new Redacted(url) })
  const waiting = new ByteBudget(10_000_000)
  const installation = { id: 'test', servers: null }
  const options = { prefix: 'test', installation, waiting, ackWaitMs }
  return { link, log: await JetStreamLog.open(link, options) }
}

describe.skipIf(natsProgram() === undefined)('the log', () => {
  test('rejects appends while NATS is down, and continues when it is back', async () => {
    await using nats = await NatsServer.start()
    const { link, log } = await openLog(nats)
    const [before, later] = [acceptedEvent(), acceptedEvent()]
    await log.append([before])
    const consuming = consumeAll(log)
    const { ids } = consuming
    await expect.poll(() => ids).toEqual([before.id])
    await nats.server.kill()
    await expect(log.append([later])).rejects.toThrow(BackendUnavailableError)
    await expect(log.lastPosition()).rejects.toThrow(BackendUnavailableError)
    await nats.server.start()
    const append = (): Promise<boolean> =>
      log.append([later]).then(
        () => true,
        () => false,
      )
    await expect.poll(append).toBe(true)
    await expect.poll(() => ids).toContain(later.id)
    await consuming[Symbol.asyncDispose]()
    await log[Symbol.asyncDispose]()
    await link[Symbol.asyncDispose]()
  })

  test('counts messages that NATS has acknowledged and lost', async () => {
    await using nats = await NatsServer.start()
    using copy = new TemporaryFolder()
    const { link, log } = await openLog(nats)
    const append = (): Promise<boolean> =>
      log.append([acceptedEvent()]).then(
        () => true,
        () => false,
      )
    await log.append([acceptedEvent()])
    await nats.server.kill()
    cpSync(nats.folder, copy.path, { recursive: true })
    await nats.server.start()
    await expect.poll(append).toBe(true)
    await log.append([acceptedEvent()])
    expect(log.lostMessages).toBe(0)
    await nats.server.kill()
    rmSync(nats.folder, { recursive: true })
    cpSync(copy.path, nats.folder, { recursive: true })
    await nats.server.start()
    await expect.poll(append).toBe(true)
    await log.append([acceptedEvent()])
    expect(log.lostMessages).toBe(2)
    await log[Symbol.asyncDispose]()
    await link[Symbol.asyncDispose]()
  })

  test("redelivers a dead node's entries, but not a running node's", async () => {
    await using nats = await NatsServer.start()
    const living = await openLog(nats, 1_000)
    const dead = await openLog(nats, 1_000)
    const take = async ({ log }: { readonly log: JetStreamLog }): Promise<LogEntry> => {
      for await (const [entry] of log.consume({ signal: new AbortController().signal }))
        return entry!
      throw new Error('The log ended.')
    }
    const [kept, lost] = [acceptedEvent(), acceptedEvent()]
    await living.log.append([kept])
    await take(living)
    await living.log.append([lost])
    const { events } = await take(dead)
    expect(events).toEqual([lost])
    // Not a graceful close: the node just disappears.
    await dead.link.connection.close()
    const third = await openLog(nats, 1_000)
    const entry = await take(third)
    expect(entry.events).toEqual([lost])
    expect(entry.redelivered).toBe(true)
    for (const { log, link } of [living, third]) {
      await log[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
    }
    await dead.log[Symbol.asyncDispose]()
  })
})
