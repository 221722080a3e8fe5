import { parseTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { ROLES, type StoredToken, type Tokens } from '../backend/tokens.ts'
import { fieldError } from '../util/field-error.ts'
import { hashOf, isSession, newToken } from './access/tokens.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List, pageOf } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type AuditedPort, type ChangeDeps, recordEntry } from './audit.ts'
import { respondWith, withResponse } from './idempotency.ts'
import { Problem } from './problems/problem.ts'

const role = Schema.oneOf(
  ROLES,
  `One of ${ROLES.join(', ')}. Viewers read, editors also change records, admins also manage tokens and data.`,
)

const fields = {
  id: Type.String(),
  name: Schema.name,
  role,
  createdAt: Schema.time,
  expiresAt: Schema.nullable(Schema.time),
  lastUsedAt: Schema.nullable(Schema.time),
}

/** A token as the API returns it, without the secret itself. */
const TokenResponse = Type.Object(fields, { $id: 'Token' })

const CreateTokenRequest = Type.Object(
  {
    name: Schema.name,
    role,
    expiresAt: Type.Optional(
      Schema.nullable(
        Type.String({
          maxLength: 40,
          description:
            'When the token expires: a future time in ISO 8601. null or absent for never.',
        }),
      ),
    ),
  },
  Schema.strict,
)

const { admin } = Schema.operationsTagged('Tokens')

const schemas = {
  list: {
    ...admin('listTokens', 'Lists tokens, oldest first'),
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of tokens.', Schema.ref(TokenResponse)),
  },
  create: {
    ...admin('createToken', 'Creates a token, which is shown only once'),
    body: CreateTokenRequest,
    response: Schema.responses(
      201,
      'The token. Only its hash is stored, so it cannot be shown again.',
      Type.Object({ ...fields, token: Schema.text('The secret token: store it safely.') }),
    ),
  },
  remove: {
    ...admin('removeToken', 'Deletes a token'),
    params: Schema.IdParams,
    response: Schema.responses(204, 'The token was deleted. Requests with it are rejected.'),
  },
}

interface TokenDeps extends Pick<ChangeDeps, 'clock'> {
  readonly tokens: AuditedPort<Tokens, 'add' | 'remove'>
}

const list = new List<StoredToken>('tokens', presentToken)

export function addTokenRoutes(app: AdminApp, { tokens, clock }: TokenDeps): void {
  app.get('/tokens', { schema: schemas.list }, ({ query }) =>
    list.page(query, (page) =>
      pageOf(
        tokens.current.values().filter((each) => !isSession(each)),
        page,
      ),
    ),
  )

  app.post('/tokens', { schema: schemas.create }, async (request, reply) => {
    const { body } = request
    const now = clock.wall()
    const { id, token } = newToken(now)
    const expiresAt = expiryOf(body.expiresAt ?? null, now)
    const times = { createdAt: now, expiresAt, lastUsedAt: null }
    const { name } = body
    const stored: StoredToken = { id, name, role: body.role, hash: hashOf(token), ...times }
    const headers = { location: `${app.prefix}/tokens/${id}` }
    const response = { status: 201, headers, body: { ...presentToken(stored), token } } as const
    const entry = recordEntry(request, now, [null, stored], presentToken)
    await tokens.add(stored, withResponse(entry, response, request))
    return respondWith(response, reply)
  })

  app.delete('/tokens/:id', { schema: schemas.remove }, async (request, reply) => {
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
  const hint = 'Use ISO 8601, like 2030-01-31T00:00:00Z, or omit it for a token that never expires.'
  const error =
    expiresAt === undefined
      ? fieldError('/expiresAt', 'invalid_format', 'expiresAt is not a valid time.', hint)
      : fieldError('/expiresAt', 'not_allowed', 'expiresAt must be in the future.', hint)
  throw new Problem('invalid_body', { errors: [error] })
}

/** The token or session as the API returns it. */
export function presentToken({ hash: _, ...token }: StoredToken): object {
  return Schema.withTimes(token, 'createdAt', 'expiresAt', 'lastUsedAt')
}
