import { request } from 'undici'
import { expect, test } from 'vitest'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { AdminServer, TOKEN } from '../admin-server.ts'
import { Browser, codeOf, type CurrentSession, signedIn } from './browser.ts'

interface Session {
  readonly id: string
  readonly name: string
  readonly openedBy: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const source = { name: 'Made in the console' }

test('a sign-in link opens one session, which can read and make changes', async () => {
  await using server = await AdminServer.open()
  const browser = new Browser(server)
  const code = await codeOf(server)
  const answer = await browser.signIn({ code })
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      kind: 'session',
      id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      name: 'Sign-in link',
      role: 'admin',
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
  expect(answer.headers.get('set-cookie')).toMatch(
    /^hookline_session=ses_[\w-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/,
  )
  expect((await browser.call<CurrentSession>('GET', '/session')).body).toEqual(answer.body)
  expect((await browser.call('POST', '/sources', source)).status).toBe(201)
  const again = await new Browser(server).call('POST', '/sessions', { code })
  expect([again.status, again.body.code]).toEqual([401, 'unauthorized'])
  expect(again.body.detail).toContain('already used')
})

test('no response, record or log line contains the secret of a session or the code of a link', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const code = await codeOf(server)
  const secret = browser.cookie.split('=')[1]!
  const texts = await Promise.all(
    ['/sessions', '/audit', '/tokens'].map(async (path) => (await server.call('GET', path)).text),
  )
  const stored = JSON.stringify([...server.backend.tokens.current.values()])
  for (const text of [...texts, stored, server.logged.join('\n')]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(secret.slice(31))
    expect(text).not.toContain(code)
  }
})

test.each(['viewer', 'editor'])('a session with the role %s cannot create links', async (role) => {
  await using both = await signedIn({}, { role })
  const link = await both.browser.call('POST', '/sign-in-links', {})
  expect([link.status, link.body.code]).toEqual([403, 'forbidden'])
  expect(link.body.detail).toContain('Only admins can create sign-in links')
})

test('sessions chained by links end with the first token', async () => {
  await using server = await AdminServer.open()
  const body = { name: 'Ana', role: 'admin' }
  const { id, token } = await server.must<{ id: string; token: string }>('POST', '/tokens', {
    body,
  })
  const first = new Browser(server)
  await first.signIn({ token })
  const browsers = [first]
  for (const _ of [2, 3, 4]) {
    const link = await browsers.at(-1)!.call<{ path: string }>('POST', '/sign-in-links', {})
    const next = new Browser(server)
    await next.signIn({ code: link.body.path.split('#')[1]! })
    browsers.push(next)
  }
  const statuses = (): Promise<number[]> =>
    Promise.all(browsers.map(async (each) => (await each.call('GET', '/session')).status))
  expect(await statuses()).toEqual([200, 200, 200, 200])
  await server.must('DELETE', `/tokens/${id}`)
  expect(await statuses()).toEqual([401, 401, 401, 401])
})

test('sessions of local browsers end when the service no longer allows local access', async () => {
  await using server = await AdminServer.open({ allowsLocalAccess: true })
  const here = new Browser(server)
  here.csrfToken = (await here.call<CurrentSession>('GET', '/session')).body.csrfToken
  const link = await here.call<{ path: string }>('POST', '/sign-in-links', {})
  const other = new Browser(server)
  await other.signIn({ code: link.body.path.split('#')[1]! })
  const statusAt = async (allowsLocalAccess: boolean): Promise<number> => {
    const { tokens } = server.backend
    await using restarted = await AdminServer.open({ tokens, allowsLocalAccess })
    const after = new Browser(restarted)
    after.cookie = other.cookie
    // A proxied request gets no local access, so only the session counts.
    const headers = { 'x-forwarded-for': '203.0.113.5' }
    return (await after.call('GET', '/session', undefined, headers)).status
  }
  expect(await statusAt(true)).toBe(200)
  expect(await statusAt(false)).toBe(401)
})

test('a session expires no later than its token', async () => {
  await using server = await AdminServer.open()
  const expiresAt = '2026-01-15T13:00:00.000Z'
  const body = { name: 'brief', role: 'viewer', expiresAt }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  const answer = await new Browser(server).signIn({ token })
  expect(answer.headers.get('set-cookie')).toContain('; Max-Age=3600;')
  const { data } = await server.must<{ data: object[] }>('GET', '/sessions')
  expect(data).toMatchObject([{ expiresAt }])
})

test('of several browsers that use a link simultaneously, only one signs in', async () => {
  await using server = await AdminServer.open()
  const code = await codeOf(server)
  const uses = Array.from({ length: 6 }, () =>
    new Browser(server).call('POST', '/sessions', { code }),
  )
  const statuses = (await Promise.all(uses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
})

test('sessions of the admin token survive a restart, and end when the operator changes the token', async () => {
  await using both = await signedIn()
  const { tokens } = both.server.backend
  const byToken = new Browser(both.server)
  await byToken.signIn({ token: TOKEN })
  const statuses = async (adminToken: string): Promise<number[]> => {
    await using restarted = await AdminServer.open({ tokens, adminToken: new Redacted(adminToken) })
    return await Promise.all(
      [both.browser, byToken].map(async ({ cookie }) => {
        const after = new Browser(restarted)
        after.cookie = cookie
        return (await after.call('GET', '/session')).status
      }),
    )
  }
  expect(await statuses(TOKEN)).toEqual([200, 200])
  expect(await statuses('the-admin-token-after-a-leak')).toEqual([401, 401])
  const stored = [...tokens.current.values()].map(({ openedBy = '' }) => openedBy)
  expect(stored).toEqual(Array(2).fill(expect.stringMatching(/^admin-token:[0-9a-f]{32}$/)))
})

test('a link can be used for half an hour, and a session for a day', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const early = await codeOf(server)
  const late = await codeOf(server)
  server.clock.advance(30 * MINUTE - 1)
  expect((await new Browser(server).call('POST', '/sessions', { code: early })).status).toBe(201)
  server.clock.advance(1)
  expect((await new Browser(server).call('POST', '/sessions', { code: late })).status).toBe(401)
  server.clock.advance(23.5 * HOUR - 1)
  expect((await browser.call('GET', '/session')).status).toBe(200)
  server.clock.advance(1)
  expect((await browser.call('GET', '/session')).status).toBe(401)
})

test('a change without the CSRF token of the session is refused, and changes nothing', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const other = new Browser(server)
  await other.signIn({ code: await codeOf(server) })
  for (const csrfToken of ['', 'x', `${browser.csrfToken}x`, other.csrfToken]) {
    browser.csrfToken = csrfToken
    const answer = await browser.call('POST', '/sources', source)
    expect([csrfToken, answer.status, answer.body.code]).toEqual([
      csrfToken,
      403,
      'csrf_token_missing',
    ])
  }
  const { data } = await server.must<{ data: unknown[] }>('GET', '/sources')
  expect(data).toEqual([])
})

test.each(['cross-site', 'same-site'])(
  'a request caused by a page of another origin (%s) has no session',
  async (site) => {
    await using both = await signedIn()
    const { browser } = both
    const headers = { 'sec-fetch-site': site }
    expect((await browser.call('GET', '/sources', undefined, headers)).status).toBe(401)
    const own = { 'sec-fetch-site': 'same-origin' }
    expect((await browser.call('GET', '/sources', undefined, own)).status).toBe(200)
  },
)

test('a session has the role of its link or token, and no more', async () => {
  await using both = await signedIn({}, { role: 'viewer' })
  const { server, browser } = both
  expect((await browser.call('GET', '/sources')).status).toBe(200)
  expect((await browser.call('POST', '/sources', source)).status).toBe(403)
  expect((await browser.call('GET', '/sessions')).status).toBe(403)
  const admin = new Browser(server)
  const { id } = (await admin.signIn({ token: TOKEN })).body
  expect((await browser.call('DELETE', `/sessions/${id}`)).status).toBe(403)
  const link = await browser.call('POST', '/sign-in-links', { role: 'admin' })
  expect([link.status, link.body.code]).toEqual([403, 'forbidden'])
  const created = await server.must<{ token: string }>('POST', '/tokens', {
    body: { name: 'ci', role: 'editor' },
  })
  const editor = new Browser(server)
  const answer = await editor.signIn({ token: created.token })
  expect([answer.status, answer.body.name, answer.body.role]).toEqual([201, 'ci', 'editor'])
  expect((await editor.call('POST', '/sources', source)).status).toBe(201)
})

test('a session ends with the token that opened it, directly or by a link', async () => {
  await using server = await AdminServer.open()
  const created = await server.must<{ id: string; token: string }>('POST', '/tokens', {
    body: { name: 'ci', role: 'admin' },
  })
  const direct = new Browser(server)
  await direct.signIn({ token: created.token })
  const linked = new Browser(server)
  const link = await server.must<{ path: string }>('POST', '/sign-in-links', {
    body: {},
    headers: { authorization: `Bearer ${created.token}` },
  })
  await linked.signIn({ code: link.path.split('#')[1]! })
  for (const browser of [direct, linked])
    expect((await browser.call('GET', '/sources')).status).toBe(200)
  const { data } = await server.must<{ data: Session[] }>('GET', '/sessions')
  expect(data.map(({ openedBy }) => openedBy)).toEqual([created.id, created.id])
  const late = await server.must<{ path: string }>('POST', '/sign-in-links', {
    body: {},
    headers: { authorization: `Bearer ${created.token}` },
  })
  await server.call('DELETE', `/tokens/${created.id}`)
  const response = await new Browser(server).signIn({ code: late.path.split('#')[1]! })
  expect(response.status).toBe(401)
  for (const browser of [direct, linked])
    expect((await browser.call('GET', '/sources')).status).toBe(401)
  expect((await server.must<{ data: unknown[] }>('GET', '/sessions')).data).toEqual([])
})

test('sessions are listed separately from tokens, and can be ended', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const { data } = await server.must<{ data: Session[] }>('GET', '/sessions')
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^ses_/),
      name: 'Sign-in link',
      openedBy: 'admin-token',
      role: 'admin',
      createdAt: '2026-01-15T12:00:00.000Z',
      expiresAt: '2026-01-16T12:00:00.000Z',
      lastUsedAt: '2026-01-15T12:00:00.000Z',
    },
  ])
  const id = data[0]!.id
  expect((await server.must<{ data: unknown[] }>('GET', '/tokens')).data).toEqual([])
  expect((await server.call('DELETE', `/tokens/${id}`)).status).toBe(404)
  expect((await server.call('DELETE', `/sessions/${id}`)).status).toBe(204)
  expect((await server.call('DELETE', `/sessions/${id}`)).status).toBe(404)
  expect((await browser.call('GET', '/session')).status).toBe(401)
})

test('signing out removes the cookie and the session', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const { cookie } = browser
  const { id } = (await browser.call<CurrentSession>('GET', '/session')).body
  const answer = await browser.call('DELETE', `/sessions/${id}`)
  expect(answer.status).toBe(204)
  expect(answer.headers.get('set-cookie')).toContain('hookline_session=; Path=/; Max-Age=0;')
  browser.cookie = cookie
  expect((await browser.call('GET', '/session')).status).toBe(401)
  const actions = await server.must<{ data: { action: string }[] }>('GET', '/audit')
  expect(actions.data.map(({ action }) => action)).toEqual([
    'removeSession',
    'createSession',
    'createSignInLink',
  ])
})

test('a token cannot be used as a session, or a session as a token', async () => {
  await using both = await signedIn()
  const { server, browser } = both
  const secret = browser.cookie.split('=')[1]!
  const bearer = { headers: { authorization: `Bearer ${secret}` } }
  expect((await server.call('GET', '/sources', bearer)).status).toBe(401)
  browser.cookie = `hookline_session=${TOKEN}`
  expect((await browser.call('GET', '/sources')).status).toBe(401)
  const response = await new Browser(server).call('POST', '/sessions', { token: secret })
  expect(response.status).toBe(401)
})

test('a local browser of an open service needs a CSRF token, but no login', async () => {
  await using server = await AdminServer.open({ allowsLocalAccess: true })
  const browser = new Browser(server)
  const { body } = await browser.call<CurrentSession>('GET', '/session')
  expect([body.kind, body.role]).toEqual(['open', 'admin'])
  expect((await browser.call('POST', '/sources', source)).status).toBe(403)
  browser.csrfToken = body.csrfToken
  expect((await browser.call('POST', '/sources', source)).status).toBe(201)
})

test.each([
  { 'x-forwarded-for': '203.0.113.5' },
  { forwarded: 'for=203.0.113.5' },
  { via: '1.1 proxy' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-server': 'proxy' },
  { 'cf-connecting-ip': '203.0.113.5' },
  { 'x-original-forwarded-for': '203.0.113.5' },
  { 'fastly-client-ip': '203.0.113.5' },
  { 'x-azure-clientip': '203.0.113.5' },
  { 'x-envoy-external-address': '203.0.113.5' },
  { 'sec-fetch-site': 'cross-site' },
  { authorization: 'Basic eDp5' },
])('a request with %j is not from a local browser', async (headers) => {
  await using server = await AdminServer.open({ allowsLocalAccess: true })
  const browser = new Browser(server)
  expect((await browser.call('GET', '/sources', undefined, headers)).status).toBe(401)
})

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80', '192.0.2.7', ''])(
  'a request to the host "%s" is not from a local browser: another site may have pointed the name here',
  async (host) => {
    await using server = await AdminServer.open({ allowsLocalAccess: true })
    const { statusCode, body } = await request(`${server.origin}/sources`, { headers: { host } })
    await body.dump()
    expect(statusCode).toBe(401)
  },
)
