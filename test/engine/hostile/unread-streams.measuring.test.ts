import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { HostileClients } from './hostile-clients.ts'
import { expectAsFast, expectHealthy, measureWhile } from './service-under-attack.ts'
import { TailReader } from '../live/tail-reader.ts'

/** The default of maxLiveStreams. */
const STREAMS = 100
const LOAD_SECONDS = 10

test(
  `${STREAMS} unread streams of one token do not lock out other readers or delay calls`,
  { timeout: 180_000 },
  async () => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    // Long, so that the unread connections stay open.
    await service.start({ HOOKLINE_SLOW_READER_TIMEOUT: '600000' })
    await service.addSource(receiver.url)
    const { measured: before } = await measureWhile(service, () => steadyLoad(service))
    const body = { name: 'dashboard', role: 'viewer' }
    const { token } = await service.api.call<{ token: string }>('POST', 'tokens', body)
    const request = `GET /api/v1/live HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    await using unread = await HostileClients.open(service.port, STREAMS, request)
    await expect.poll(() => unread.answeredConnections).toBe(STREAMS)
    expect(await refusesStream(service, token)).toBe(true)
    await using reader = new TailReader(service)
    await reader.connect()
    const { measured } = await measureWhile(service, () => steadyLoad(service))
    const sent = (await Promise.all(Array.from({ length: 50 }, () => service.send(20)))).flat()
    await expect.poll(() => reader.received.event.missing(sent)).toBe(0)
    console.log(`${STREAMS} unread streams: ${JSON.stringify({ before, measured })}`)
    expectHealthy(measured)
    expectAsFast(measured, before)
  },
)

/** Sends 400 calls per second. */
async function steadyLoad(service: MeasuredService): Promise<void> {
  for (let batch = 0; batch < LOAD_SECONDS * 20; batch++)
    await Promise.all([service.send(20), sleep(50)])
}

/** Whether another stream with this token is refused. */
async function refusesStream({ port }: MeasuredService, token: string): Promise<boolean> {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${token}` }
  const { signal } = abort
  const { status } = await fetch(`http://127.0.0.1:${port}/api/v1/live`, { headers, signal })
  abort.abort()
  return status === 429
}
