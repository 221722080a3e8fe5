import { parseTimestamp } from '@hookline/protocol'
import type { StoredToken } from '../../backend/tokens.ts'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { List, pageOf } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { Problem } from '../problems/problem.ts'
import { hashOf, isSession, newToken } from './token.ts'
import { presentToken, tokenSchemas } from './token-schema.ts'

const list = new List<StoredToken>('tokens', presentToken)

/** `/tokens` and `/tokens/:id`. */
export function addTokenRoutes(app: AdminApp, { tokens, clock }: AdminDeps): void {
  app.get('/tokens', { schema: tokenSchemas.list }, ({ query }) =>
    list.page(query, (page) =>
      pageOf(
        [...tokens.current.values()].filter((each) => !isSession(each)),
        page,
      ),
    ),
  )

  app.post('/tokens', { schema: tokenSchemas.create }, async (request, reply) => {
    const { body } = request
    const now = clock.wall()
    const { id, token } = newToken(now)
    const stored: StoredToken = {
      id,
      name: body.name,
      role: body.role,
      hash: hashOf(token),
      createdAt: now,
      expiresAt: expiryOf(body.expiresAt ?? null, now),
      lastUsedAt: null,
    }
    const headers = { location: `${app.prefix}/tokens/${id}` }
    const made = { status: 201, headers, body: { ...presentToken(stored), token } } as const
    const entry = recordEntry(request, now, [null, stored], presentToken)
    await tokens.add(stored, withResponse(entry, made, request))
    return respondWith(made, reply)
  })

  app.delete('/tokens/:id', { schema: tokenSchemas.remove }, async (request, reply) => {
    const token = tokens.current.get(request.params.id)
    if (token === undefined || isSession(token))
      throw new Problem('not_found', { detail: 'No token has this id.' })
    await tokens.remove(token.id, recordEntry(request, clock.wall(), [token, null], presentToken))
    return reply.code(204).send()
  })
}

function expiryOf(requested: string | null, now: number): number | null {
  if (requested === null) return null
  const expiresAt = parseTimestamp(requested)
  if (expiresAt !== undefined && expiresAt > now) return expiresAt
  const message = 'expiresAt is not a time in the future.'
  const hint =
    'Give a time in ISO 8601, like 2030-01-31T00:00:00Z. Leave it out for a token that never expires.'
  throw new Problem('invalid_body', { faults: [fault('/expiresAt', 'not_allowed', message, hint)] })
}
