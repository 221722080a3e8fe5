import { Agent, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const THREADS = { ingestThreads: '3', deliveryThreads: '1' }
/** Enough that each thread gets some: the kernel distributes connections by a hash of their ports. */
const CONNECTIONS = 24

/** A client with one keep-alive connection. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #service: RunningService

  constructor(service: RunningService) {
    this.#service = service
    onTestFinished(() => this.#agent.destroy())
  }

  /** Resolves with the status. */
  track(userId: string, key = this.#service.source.writeKey): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const sent = request(`${this.#service.url}/v1/track`, {
      method: 'POST',
      agent: this.#agent,
      auth: `${key}:`,
    })
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    sent.end(JSON.stringify({ event: 'Order Completed', userId }))
    return promise
  }
}

function clientsOf(service: RunningService): readonly Client[] {
  return Array.from({ length: CONNECTIONS }, () => new Client(service))
}

test("a source's rate limit is shared by all threads", async () => {
  await using service = await startService({ settings: THREADS })
  // Lower than the number of calls in one round, so that even a slow machine exceeds it.
  const limit = 5
  await service.api.call('PATCH', `sources/${service.source.id}`, { rateLimit: limit })
  const clients = clientsOf(service)
  const began = performance.now()
  const statuses: number[] = []
  while (statuses.length < 10 * CONNECTIONS)
    statuses.push(...(await Promise.all(clients.map((client) => client.track('u')))))
  const seconds = (performance.now() - began) / 1_000
  const accepted = statuses.filter((status) => status === 200).length
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  // The bucket starts full, and one more request may take the last token.
  expect(accepted).toBeLessThanOrEqual(limit + seconds * limit + 1)
  expect(accepted).toBeGreaterThanOrEqual(limit)
})

test('a deleted write key is refused by every thread as soon as the deletion has returned', async () => {
  await using service = await startService({ settings: THREADS })
  const clients = clientsOf(service)
  const { id } = service.source
  for (let count = 0; count < 5; count++) {
    const path = `sources/${id}/write-keys`
    const { key } = await service.api.call<{ key: string }>('POST', path)
    const track = (): Promise<number[]> =>
      Promise.all(clients.map((client) => client.track('u', key)))
    expect(new Set(await track())).toEqual(new Set([200]))
    await service.api.call('DELETE', `${path}/${key}`)
    expect(new Set(await track())).toEqual(new Set([401]))
  }
})

test('a deletion finds every event from its user, even if a thread accepted it as the suppression took effect', async () => {
  await using receiver = await openReceiver()
  const service = await startService({ settings: THREADS })
  // Discarded without the final check, because all accepted calls are deleted.
  onTestFinished(() => service.discard())
  await service.createDestination({ urls: [receiver.url] })
  const clients = clientsOf(service)
  for (let round = 0; round < 5; round++) {
    const user = `user-${round}`
    const stop = new AbortController()
    const sending = clients.map(async (client) => {
      while (!stop.signal.aborted) expect(await client.track(user)).toBe(200)
    })
    await receiver.waitFor(receiver.requests.length + 50)
    const body = { userIds: [user], suppress: true }
    const { id } = await service.api.call<{ id: string }>('POST', 'deletions', body)
    await service.eventually(async () =>
      expect(await service.api.call('GET', `deletions/${id}`)).toMatchObject({ state: 'finished' }),
    )
    stop.abort()
    await Promise.all(sending)
    expect(await service.api.call('GET', `events?userId=${user}`)).toMatchObject({ data: [] })
  }
})

test('a second service fails to listen on the port of the threads', async () => {
  await using service = await startService({ settings: THREADS })
  const { port } = new URL(service.url)
  await expect(startService({ settings: { ...THREADS, port } })).rejects.toThrow('EADDRINUSE')
  expect(await service.track('m1')).toBe('m1')
})

test('threads forward requests to the management API', async () => {
  await using service = await startService({ settings: THREADS })
  const headers = { authorization: `Bearer ${service.token}` }
  const sourceIds = Array.from({ length: CONNECTIONS }, async () => {
    const response = await fetch(`${service.url}/api/v1/sources`, { headers })
    return ((await response.json()) as { data: { id: string }[] }).data[0]!.id
  })
  expect(new Set(await Promise.all(sourceIds))).toEqual(new Set([service.source.id]))
})
