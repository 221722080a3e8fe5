import { formatTimestamp } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Audit } from '../../backend/audit.ts'
import { ROLES, type StoredToken } from '../../backend/tokens.ts'
import { type Authentication, tokenActor, unauthorizedProblem } from '../access/authenticate.ts'
import type { RequestLimit } from '../access/request-limits.ts'
import { includesRole } from '../access/roles.ts'
import { csrfTokenOf, isSession, setSessionCookie, THIS_MACHINE_ID } from '../access/tokens.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List, pageOf } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { auditEntry } from '../audit.ts'
import { Problem } from '../problems/problem.ts'
import {
  type SessionOwner,
  type OpenSessions,
  presentSession,
  type SignInCodes,
} from './open-sessions.ts'

const roleField = Schema.oneOf(ROLES, `One of ${ROLES.join(', ')}.`)

const SessionResponse = Type.Object(
  {
    id: Type.String(),
    name: Schema.text('"Sign-in link", or the name of the token that opened it.'),
    openedBy: Schema.text(
      'The id of the token that opened it, admin-token, or this-machine if no sign-in was needed. The session ends when that token is deleted or expires.',
    ),
    role: roleField,
    createdAt: Schema.time,
    expiresAt: Schema.nullable(Schema.time),
    lastUsedAt: Schema.nullable(Schema.time),
  },
  { $id: 'Session' },
)

const CurrentSession = Type.Object({
  kind: Schema.oneOf(
    ['session', 'token', 'open'],
    'How the request was authenticated. open: `hookline dev` on this machine, without signing in.',
  ),
  id: Type.String(),
  name: Type.String(),
  role: roleField,
  csrfToken: Schema.nullable(Schema.text('For the X-CSRF-Token header; null with a token.')),
})

const CreateSessionRequest = Type.Object(
  {
    code: Type.Optional(
      Type.String({ maxLength: 200, description: 'The code from a sign-in link, after its #.' }),
    ),
    token: Type.Optional(Type.String({ maxLength: 500, description: 'A token for this API.' })),
  },
  Schema.strict,
)

const { viewer, admin } = Schema.operationsTagged('Sessions')

const schemas = {
  createLink: {
    ...viewer('createSignInLink', 'Creates a one-time sign-in link for the console'),
    body: Type.Object({ role: Type.Optional(roleField) }, Schema.strict),
    response: Schema.responses(
      201,
      'The link. It works once, within 30 minutes. A restart or 100 newer links from the same token invalidate it.',
      Type.Object({
        path: Schema.text('The path of the link.'),
        role: roleField,
        expiresAt: Schema.time,
      }),
    ),
  },
  create: {
    tags: ['Sessions'],
    operationId: 'createSession',
    summary: 'Signs a browser in, with the code from a link or with a token',
    security: [],
    body: CreateSessionRequest,
    response: Schema.responses(
      201,
      'The session; its secret is in a cookie. A token can have 100 sessions: another one ends the oldest.',
      CurrentSession,
    ),
  },
  current: {
    ...viewer('getCurrentSession', 'Shows the current session or token'),
    response: Schema.ok('The current session or token.', CurrentSession),
  },
  list: {
    ...admin('listSessions', 'Lists console sessions, oldest first'),
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of sessions.', Schema.ref(SessionResponse)),
  },
  remove: {
    ...viewer('removeSession', 'Ends your own session, or, as an admin, any session'),
    params: Schema.IdParams,
    response: Schema.responses(204, 'The session has ended. Requests with it are rejected.'),
  },
}

const list = new List<StoredToken>('sessions', presentSession)

interface SessionDeps {
  readonly access: Authentication & { readonly audit: Pick<Audit, 'append'> }
  readonly limit: RequestLimit
  readonly codes: SignInCodes
  readonly sessions: OpenSessions
}

/** `POST /sessions`, without authentication. */
export function addSignInRoute(app: AdminApp, deps: SessionDeps): void {
  app.post('/sessions', { schema: schemas.create }, async (request, reply) => {
    const { code, token } = request.body
    const owner =
      code === undefined ? byToken(token ?? '', request, deps) : byCode(code, request, deps)
    if (owner instanceof Problem) throw owner
    const { session, secret } = await deps.sessions.open({ request, reply }, owner)
    const { id, name, role, createdAt, expiresAt } = session
    setSessionCookie(request, reply, secret, (expiresAt ?? Infinity) - createdAt)
    return reply.code(201).send({ kind: 'session', id, name, role, csrfToken: csrfTokenOf(secret) })
  })
}

/** The other session routes. */
export function addSessionRoutes(app: AdminApp, { access, codes, sessions }: SessionDeps): void {
  const { tokens, clock, audit } = access

  app.post('/sign-in-links', { schema: schemas.createLink }, async (request, reply) => {
    const { actor } = request
    // Otherwise, the user of a session could stay signed in after the session expires, and evict other sessions of the same
    // token. Admins may create links, because they can create tokens anyway.
    const hasToken = request.headers.authorization !== undefined
    if (!hasToken && !includesRole(actor.role, 'admin'))
      throw new Problem('forbidden', { detail: LINK_NEEDS_TOKEN })
    const role = request.body.role ?? actor.role
    if (!includesRole(actor.role, role))
      throw new Problem('forbidden', {
        detail: `The ${actor.role} role cannot create a link with the ${role} role.`,
      })
    const now = clock.wall()
    const { code, expiresAt } = codes.create({ role, tokenId: actor.tokenId }, now)
    const after = { role, expiresAt: formatTimestamp(expiresAt) }
    await audit.append(auditEntry(request, now, { targetId: null, before: null, after }))
    return reply.code(201).send({ path: `/console/sign-in#${code}`, ...after })
  })

  app.get('/session', { schema: schemas.current }, async ({ actor, headers }) => {
    const { id, name, role, credential } = actor
    const isToken = headers.authorization !== undefined
    const kind = isToken ? 'token' : id === THIS_MACHINE_ID ? 'open' : 'session'
    return { kind, id, name, role, csrfToken: isToken ? null : csrfTokenOf(credential.reveal()) }
  })

  app.get('/sessions', { schema: schemas.list }, ({ query }) =>
    list.page(query, (page) => pageOf(sessions.list(), page)),
  )

  app.delete('/sessions/:id', { schema: schemas.remove }, async (request, reply) => {
    const session = tokens.current.get(request.params.id)
    if (session === undefined || !isSession(session))
      throw new Problem('not_found', { detail: 'No session has this id.' })
    const isOwn = session.id === request.actor.id
    if (!isOwn && !includesRole(request.actor.role, 'admin'))
      throw new Problem('forbidden', { detail: "Only admins can end other users' sessions." })
    await sessions.end(request, session)
    if (isOwn) setSessionCookie(request, reply, '', 0)
    return reply.code(204).send()
  })
}

const LINK_NEEDS_TOKEN =
  'Only admins can create sign-in links from a session. Use a token instead: run `hookline console`, or send Authorization: Bearer <token>.'

function byCode(
  code: string,
  request: FastifyRequest,
  { access, codes }: SessionDeps,
): SessionOwner | Problem {
  const { clock, authFailureLimit, sessionTokens, adminToken } = access
  const now = clock.wall()
  const signIn = codes.find(code, now)
  const detail =
    'The sign-in link has expired or was already used. Create a new one with `hookline console`.'
  const problem = unauthorizedProblem(undefined, detail)
  if (
    signIn === undefined ||
    !sessionTokens.canOpenSession(sessionTokens.openedByOf(signIn.tokenId), now)
  )
    return authFailureLimit.add(request.ip) ?? problem
  const takeLink = (): Problem | undefined => (codes.take(code) ? undefined : problem)
  const { tokenId, role } = signIn
  return { tokenId, role, name: 'Sign-in link', credential: adminToken, takeLink }
}

function byToken(
  token: string,
  request: FastifyRequest,
  { access, limit }: SessionDeps,
): SessionOwner | Problem {
  const actor = tokenActor(token, request.ip, access)
  return actor instanceof Problem ? actor : (limit.refusal(actor) ?? actor)
}
