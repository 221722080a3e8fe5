import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RouteRoles } from '../../../src/admin/access/roles.ts'
import { ROLES, type Role } from '../../../src/backend/tokens.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const HOUR = 3_600_000

let server: AdminServer
const tokens = new Map<Role | 'expired', string>()

beforeAll(async () => {
  server = await AdminServer.open()
  for (const role of ROLES) tokens.set(role, await tokenWith(role))
  tokens.set('expired', await tokenWith('admin', new Date(NOON + HOUR).toISOString()))
  server.clock.advance(HOUR)
})
afterAll(() => server[Symbol.asyncDispose]())

async function tokenWith(role: Role, expiresAt: string | null = null): Promise<string> {
  const body = { name: role, role, expiresAt }
  return (await server.must<{ token: string }>('POST', '/tokens', { body })).token
}

/** Routes that need a token, like `GET /sources/:id`. */
function guarded(): string[] {
  return server.routes
    .map((route) => route.replace('/api/v1', ''))
    .filter((route) => !route.startsWith('HEAD ') && !OPEN.includes(route))
}

const OPEN = ['GET /openapi.json', 'POST /sessions']

/** Calls a route with ids that do not exist, so that nothing changes. */
function probe(route: string, token: string | undefined) {
  const [method = '', path = ''] = route.split(' ')
  const authorization = token === undefined ? '' : `Bearer ${token}`
  const call = { headers: { authorization }, ...(method !== 'GET' && { body: { 'no such': 1 } }) }
  return server.call<ProblemDocument>(method, `${path.replaceAll(/:\w+/g, 'none')}?none=1`, call)
}

test('a route without a role in its schema fails at startup', () => {
  const app = fastify()
  new RouteRoles().collect(app)
  const add = () => app.get('/sources', { schema: { querystring: {} } }, async () => [])
  expect(add).toThrow('The schema of GET /sources has no role.')
})

describe('the roles', () => {
  const isChange = (route: string) => !route.startsWith('GET ')
  const routesOf = (role: Role) => guarded().filter((route) => server.roles.of(route) === role)

  test('reserve deletions, the removal of suppressions, tokens, the list of sessions, the audit log, backups, export and import for admins', () => {
    expect(routesOf('admin').toSorted()).toEqual([
      'DELETE /suppressions',
      'DELETE /suppressions/:userId',
      'DELETE /tokens/:id',
      'GET /audit',
      'GET /backup',
      'GET /export',
      'GET /sessions',
      'GET /tokens',
      'POST /deletions',
      'POST /tokens',
      'PUT /import',
    ])
  })

  test('let viewers change nothing except sign-in links and sessions, and read everything editors can except signed requests', () => {
    expect(routesOf('viewer').filter(isChange).toSorted()).toEqual([
      'DELETE /sessions/:id',
      'POST /audiences/preview',
      'POST /destinations/:id/filter-preview',
      'POST /sign-in-links',
      'POST /traits/preview',
    ])
    expect(routesOf('editor').filter((route) => !isChange(route))).toEqual([
      'GET /deliveries/:id/requests',
    ])
  })
})

describe('each route', () => {
  test('responds with 401 if the token is missing or has expired', async () => {
    for (const route of guarded()) {
      expect([route, (await probe(route, undefined)).status]).toEqual([route, 401])
      const { status, headers, body } = await probe(route, tokens.get('expired'))
      expect([route, status]).toEqual([route, 401])
      expect(headers.get('www-authenticate')).toContain('invalid_token')
      expect(body.detail).toBe(
        'The token "admin" expired at 2026-01-15T13:00:00.000Z. Use another token, or create a new one.',
      )
    }
  })

  test('responds with 403 to roles below the one in its schema, and accepts the others', async () => {
    for (const route of guarded()) {
      for (const role of ROLES) {
        const { status, body } = await probe(route, tokens.get(role))
        const isBelow = ROLES.indexOf(role) < ROLES.indexOf(server.roles.of(route))
        expect([route, role, status === 403]).toEqual([route, role, isBelow])
        if (isBelow) expect(body).toMatchObject({ code: 'forbidden' })
      }
    }
  })
})

test('a change by a viewer is refused, and nothing is stored', async () => {
  const headers = { authorization: `Bearer ${tokens.get('viewer')}` }
  const answer = await server.call('POST', '/sources', { headers, body: { name: 'web' } })
  expect(answer.status).toBe(403)
  expect(server.backend.catalog.current.sources.size).toBe(0)
})
