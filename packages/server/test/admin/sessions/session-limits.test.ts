import { expect, test } from 'vitest'
import type { Tokens } from '../../../src/backend/tokens.ts'
import { AdminServer, TOKEN } from '../admin-server.ts'
import { Browser, codeOf, signedIn } from './browser.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The tokens, with some methods replaced. */
function withMethods(tokens: Tokens, methods: Partial<Tokens>): Tokens {
  return new Proxy(tokens, {
    get: (target, name) => {
      const value =
        (methods as Record<PropertyKey, unknown>)[name] ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A viewer's token. */
async function viewerOf(server: AdminServer): Promise<{ id: string; token: string }> {
  return server.must('POST', '/tokens', { body: { name: 'viewer', role: 'viewer' } })
}

test('a link refused during a flood of sign-ins can be used afterwards', async () => {
  await using server = await AdminServer.open()
  const code = await codeOf(server)
  const flood = Array.from({ length: 60 }, () => new Browser(server).signIn({ token: TOKEN }))
  let answer = await new Browser(server).call('POST', '/sessions', { code })
  const first = answer.status
  await Promise.all(flood)
  if (first === 429) answer = await new Browser(server).call('POST', '/sessions', { code })
  expect([first, answer.status]).toEqual([first === 429 ? 429 : 201, 201])
  expect((await new Browser(server).call('POST', '/sessions', { code })).status).toBe(401)
})

test('guesses of codes and tokens are limited', async () => {
  await using server = await AdminServer.open({ maxAuthFailuresPerMinute: 3 })
  const browser = new Browser(server)
  const statuses: number[] = []
  for (const body of [{ code: 'a' }, { token: 'b' }, { code: 'c' }, { code: 'd' }, {}])
    statuses.push((await browser.call('POST', '/sessions', body)).status)
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect((await browser.signIn({ code: await codeOf(server) })).status).toBe(201)
})

test('beyond 100 unused links of a token, its oldest is invalidated, and other tokens keep theirs', async () => {
  await using server = await AdminServer.open()
  const ofOther = await codeOf(server)
  const { token } = await viewerOf(server)
  const headers = { authorization: `Bearer ${token}` }
  const codes: string[] = []
  for (let count = 0; count < 101; count++) {
    const call = { body: {}, headers }
    const { path } = await server.must<{ path: string }>('POST', '/sign-in-links', call)
    codes.push(path.split('#')[1]!)
  }
  const statuses = [codes[0]!, codes[1]!, ofOther].map(
    async (code) => (await new Browser(server).call('POST', '/sessions', { code })).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 201, 201])
})

test('beyond 100 sessions of a token, its oldest ends, other tokens keep theirs, and expired ones are removed', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const { token } = await viewerOf(server)
  const viewers: Browser[] = []
  for (let opened = 0; opened < 101; opened++) {
    viewers.push(new Browser(server))
    await viewers.at(-1)!.signIn({ token })
  }
  const statuses = [viewers[0]!, viewers[1]!, browser].map(
    async (each) => (await each.call('GET', '/session')).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  // The token, its sessions, and the session of the link.
  expect(server.backend.tokens.current.size).toBe(1 + 100 + 1)
  server.clock.advance(DAY_MS)
  await new Browser(server).signIn({ token: TOKEN })
  expect(server.backend.tokens.current.size).toBe(1 + 1)
})

test('simultaneous sign-ins leave no more than 100 sessions of a token', async () => {
  await using server = await AdminServer.open()
  const { token } = await viewerOf(server)
  for (let opened = 0; opened < 90; opened++) await new Browser(server).signIn({ token })
  const signIns = Array.from({ length: 30 }, () => new Browser(server).signIn({ token }))
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array(30).fill(201))
  expect(server.backend.tokens.current.size).toBe(1 + 100)
  const entries = server.backend.audit.list({ action: 'createSession' }, { limit: 200 })
  expect((await entries).data).toHaveLength(120 + 20)
})

test('of 200 simultaneous sign-ins with one token, at least 33 succeed and others are refused, and another token can still sign in', async () => {
  await using server = await AdminServer.open()
  const { token } = await viewerOf(server)
  const flood = Array.from({ length: 200 }, () => new Browser(server).signIn({ token }))
  expect((await new Browser(server).signIn({ token: TOKEN })).status).toBe(201)
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([201, 429]))
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(33)
})

test('sign-ins waiting when their token is deleted are refused', async () => {
  const gate = Promise.withResolvers<void>()
  await using server = await AdminServer.open()
  const { tokens } = server.backend
  const { id, token } = await viewerOf(server)
  // The first sign-in is blocked until the token is deleted.
  const held: Pick<Tokens, 'add'> = {
    add: async (...given) => {
      await gate.promise
      return tokens.add(...given)
    },
  }
  await using slow = await AdminServer.open({ tokens: withMethods(tokens, held) })
  const signIns = Array.from({ length: 10 }, () => new Browser(slow).signIn({ token }))
  await tokens.remove(id)
  gate.resolve()
  const statuses = (await Promise.all(signIns)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1)
  expect(statuses).toContain(401)
})

test('sign-ins count as requests of their token', async () => {
  await using server = await AdminServer.open({ rateLimit: 1 })
  const { token } = await viewerOf(server)
  const statuses: number[] = []
  for (let tried = 0; tried < 6; tried++)
    statuses.push((await new Browser(server).call('POST', '/sessions', { token })).status)
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
})
