import { expect, test } from 'vitest'
import { AdminServer, TOKEN } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface TokenResponse {
  readonly id: string
  readonly token?: string
  readonly lastUsedAt: string | null
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('a token is shown once, stored as a hash, and works after a restart', async () => {
  await using server = await AdminServer.open()
  const body = { name: 'ci', role: 'viewer' }
  const created = await server.must<Required<TokenResponse>>('POST', '/tokens', { body })
  expect(created).toEqual({
    id: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
    name: 'ci',
    role: 'viewer',
    createdAt: '2026-01-15T12:00:00.000Z',
    expiresAt: null,
    lastUsedAt: null,
    token: expect.stringMatching(new RegExp(`^${created.id}_[\\w-]{43}$`)),
  })
  expect((await server.call('GET', '/sources', bearer(created.token))).status).toBe(200)
  expect((await server.call('GET', '/tokens')).text).not.toContain(created.token)
  expect(JSON.stringify([...server.backend.tokens.current])).not.toContain(created.token)
  expect((await server.call('GET', '/sources', bearer(TOKEN))).status).toBe(200)
})

test('an altered token is refused', async () => {
  await using server = await AdminServer.open()
  const body = { name: 'ci', role: 'admin' }
  const { id, token } = await server.must<Required<TokenResponse>>('POST', '/tokens', { body })
  for (const invalid of [id, `${id}_`, token.slice(0, -1), `${token}x`, token.toUpperCase()]) {
    expect([invalid, (await server.call('GET', '/tokens', bearer(invalid))).status]).toEqual([
      invalid,
      401,
    ])
  }
})

test('a removed token is refused immediately', async () => {
  await using server = await AdminServer.open()
  const body = { name: 'ci', role: 'editor' }
  const { id, token } = await server.must<Required<TokenResponse>>('POST', '/tokens', { body })
  expect((await server.call('DELETE', `/tokens/${id}`)).status).toBe(204)
  expect((await server.call('GET', '/sources', bearer(token))).status).toBe(401)
  expect((await server.call('DELETE', `/tokens/${id}`)).status).toBe(404)
})

test('the last use is recorded to the minute, even after the system clock was set back', async () => {
  await using server = await AdminServer.open()
  const body = { name: 'ci', role: 'viewer' }
  const { token } = await server.must<Required<TokenResponse>>('POST', '/tokens', { body })
  const lastUse = async () => {
    const { data } = await server.must<{ data: TokenResponse[] }>('GET', '/tokens')
    return data[0]?.lastUsedAt
  }
  await server.call('GET', '/sources', bearer(token))
  await expect.poll(lastUse).toBe('2026-01-15T12:00:00.000Z')
  server.clock.advance(59_000)
  await server.call('GET', '/sources', bearer(token))
  await server.backend.probe()
  expect(await lastUse()).toBe('2026-01-15T12:00:00.000Z')
  server.clock.advance(1_000)
  await server.call('GET', '/sources', bearer(token))
  await expect.poll(lastUse).toBe('2026-01-15T12:01:00.000Z')
  server.clock.jump(-24 * 60 * 60_000)
  await server.call('GET', '/sources', bearer(token))
  await expect.poll(lastUse).toBe('2026-01-14T12:01:00.000Z')
})

test.each([
  [{ name: 'x' }, '/role required'],
  [{ name: 'x', role: 'root' }, '/role not_allowed'],
  [{ role: 'admin' }, '/name required'],
  [{ name: 'x', role: 'admin', expiresAt: 'soon' }, '/expiresAt invalid_format'],
  [{ name: 'x', role: 'admin', expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt not_allowed'],
  [{ name: 'x', role: 'admin', token: 'mine' }, '/token unknown_field'],
])('%j is refused', async (body, fieldError) => {
  await using server = await AdminServer.open()
  const answer = await server.call<ProblemDocument>('POST', '/tokens', { body })
  expect([answer.status, errorsIn(answer.body)]).toEqual([422, [fieldError]])
})

test('a token with too many requests gets 429 with Retry-After, and other tokens do not', async () => {
  await using server = await AdminServer.open({ rateLimit: 2 })
  const body = { name: 'ci', role: 'viewer' }
  const { token } = await server.must<Required<TokenResponse>>('POST', '/tokens', { body })
  const request = () => server.call<ProblemDocument>('GET', '/sources', bearer(token))
  for (let count = 0; count < 10; count += 1) expect((await request()).status).toBe(200)
  const response = await request()
  expect([response.status, response.body.code]).toEqual([429, 'rate_limited'])
  expect(response.headers.get('retry-after')).toBe('1')
  expect((await server.call('GET', '/sources')).status).toBe(200)
  server.clock.advance(1_000)
  expect((await request()).status).toBe(200)
})
