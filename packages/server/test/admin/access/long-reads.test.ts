import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { Events } from '../../../src/backend/events.ts'
import { AdminServer, type ApiResponse, TOKEN } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

/** An archive in which each list call waits until the test releases it. */
class GatedEvents {
  /** The search texts, in the order in which the searches began. */
  readonly begun: string[] = []
  readonly #passes: (() => void)[] = []
  events: Events | undefined
  #isOpen = false

  readonly list: Events['list'] = async (filter, page) => {
    this.begun.push(filter.text ?? '')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#passes.push(resolve)
    if (!this.#isOpen) await promise
    return this.events!.list(filter, page)
  }

  pass(): void {
    this.#passes.shift()!()
  }

  /** Releases all calls from now on. */
  open(): void {
    this.#isOpen = true
    for (const pass of this.#passes) pass()
  }
}

async function opened() {
  const gate = new GatedEvents()
  const server = await AdminServer.open({ events: gate as unknown as Events })
  onTestFinished(() => server[Symbol.asyncDispose]())
  gate.events = server.backend.events
  const body = { name: 'greedy', role: 'viewer' }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  return { server, gate, greedy: { authorization: `Bearer ${token}` } }
}

const search = (server: AdminServer, text: string, headers = {}) =>
  server.call<ProblemDocument>('GET', `/events?text=${text}`, { headers })

/** Searches several times, so that the requests arrive in order. */
async function searchTimes(
  times: number,
  { server, gate, greedy }: Awaited<ReturnType<typeof opened>>,
): Promise<Promise<ApiResponse<ProblemDocument>>[]> {
  const all: Promise<ApiResponse<ProblemDocument>>[] = []
  for (let index = 0; index < times; index++) {
    all.push(search(server, `greedy${index}`, greedy))
    if (index < 2) await expect.poll(() => gate.begun).toHaveLength(index + 1)
  }
  return all
}

test('30 simultaneous searches with one token delay a search with another token by at most one search', async () => {
  const all = await opened()
  const { server, gate } = all
  const theirs = await searchTimes(30, all)
  const own = search(server, 'own')
  // Not a long read, so it takes no turn.
  expect((await server.call('GET', '/sources')).status).toBe(200)
  gate.pass()
  await expect.poll(() => gate.begun).toHaveLength(3)
  gate.pass()
  await expect.poll(() => gate.begun).toHaveLength(4)
  expect(gate.begun.slice(2)).toContain('own')
  gate.open()
  const statuses = (await Promise.all([own, ...theirs])).map(({ status }) => status)
  expect(statuses).toEqual(Array(31).fill(200))
})

test("a token's requests beyond 32 waiting ones are refused with 429, and other tokens are not affected", async () => {
  const all = await opened()
  const { server, gate, greedy } = all
  const theirs = await searchTimes(34, all)
  // The requests arrive in no fixed order, so any of the 35 may be the one that is refused.
  const last = await Promise.race([search(server, 'last', greedy), ...theirs])
  expect([last.body.code, last.headers.get('retry-after')]).toEqual(['rate_limited', '1'])
  const own = search(server, 'own')
  gate.open()
  expect((await own).status).toBe(200)
  const statuses = (await Promise.all(theirs)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(33)
})

test('a token and its sessions have at most 128 waiting requests together', async () => {
  const all = await opened()
  const { server, gate, greedy } = all
  const token = greedy.authorization.slice('Bearer '.length)
  const cookies: string[] = []
  for (let index = 0; index < 5; index++) {
    const answer = await server.call('POST', '/sessions', { body: { token }, withoutToken: true })
    cookies.push(answer.headers.get('set-cookie')!.split(';')[0]!)
  }
  const theirs = await searchTimes(2, all)
  const ofSessions = cookies.flatMap((cookie) =>
    Array.from({ length: 26 }, () =>
      server.call('GET', '/events?text=x', { headers: { cookie }, withoutToken: true }),
    ),
  )
  expect((await Promise.race(ofSessions)).status).toBe(429)
  gate.open()
  const statuses = (await Promise.all([...ofSessions, ...theirs])).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(128 + 2)
})

test('a waiting search is refused if its token is deleted in the meantime', async () => {
  const all = await opened()
  const { server, gate } = all
  const theirs = await searchTimes(3, all)
  const { id } = [...server.backend.tokens.current.values()][0]!
  await server.must('DELETE', `/tokens/${id}`)
  gate.open()
  const statuses = (await Promise.all(theirs)).map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 401])
})

test('a search whose client disconnected does not start, and a running one keeps its turn until it ends', async () => {
  const { server, gate } = await opened()
  const before = server.received
  const disconnected = ['a', 'b', 'c', 'd'].map((text) =>
    get(`${server.origin}/events?text=${text}`, { headers: { authorization: `Bearer ${TOKEN}` } }),
  )
  for (const each of disconnected) each.on('error', () => undefined)
  const closed = disconnected.map((each) => new Promise((resolve) => each.once('close', resolve)))
  await expect.poll(() => gate.begun).toHaveLength(2)
  await expect.poll(() => server.received - before).toBe(4)
  const own = search(server, 'own')
  for (const each of disconnected) each.destroy()
  await Promise.all(closed)
  await expect.poll(() => server.aborted).toBeGreaterThanOrEqual(4)
  expect(gate.begun).toHaveLength(2)
  gate.pass()
  await expect.poll(() => gate.begun).toHaveLength(3)
  expect(gate.begun[2]).toBe('own')
  gate.open()
  expect((await own).status).toBe(200)
})
