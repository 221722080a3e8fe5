import { formatTimestamp } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredToken } from '../../backend/tokens.ts'
import { type Authentication, tokenActor, unauthorized } from '../access/authenticate.ts'
import type { RequestLimit } from '../access/request-limit.ts'
import { isRoleEnough } from '../access/route-roles.ts'
import { csrfTokenOf, setCookie } from '../access/session-cookie.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, pageOf } from '../api/list.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import { THIS_MACHINE_ID } from '../tokens/openers.ts'
import { isSession } from '../tokens/token.ts'
import type { OpenSessions, Opener } from './open-sessions.ts'
import { presentSession, sessionSchemas } from './session-schema.ts'
import type { SignInCodes } from './sign-in-codes.ts'

const list = new List<StoredToken>('sessions', presentSession)

/** What the routes of sessions work with. */
export interface SessionDeps {
  readonly access: Authentication & Pick<AdminDeps, 'audit'>
  readonly limit: RequestLimit
  readonly codes: SignInCodes
  readonly sessions: OpenSessions
}

/** `/sessions` for a browser that is not signed in yet. */
export function addSignInRoute(app: AdminApp, deps: SessionDeps): void {
  app.post('/sessions', { schema: sessionSchemas.create }, async (request, reply) => {
    const { code, token } = request.body
    const opener =
      code === undefined ? byToken(token ?? '', request, deps) : byCode(code, request, deps)
    if (opener instanceof Problem) throw opener
    const { session, secret } = await deps.sessions.open({ request, reply }, opener)
    const { id, name, role, createdAt, expiresAt } = session
    setSessionCookie(request, reply, secret, (expiresAt ?? Infinity) - createdAt)
    return reply.code(201).send({ kind: 'session', id, name, role, csrfToken: csrfTokenOf(secret) })
  })
}

/** The routes of sessions, for those who are signed in or have a token. */
export function addSessionRoutes(app: AdminApp, { access, codes, sessions }: SessionDeps): void {
  const { tokens, clock, audit } = access

  app.post('/sign-in-links', { schema: sessionSchemas.createLink }, async (request, reply) => {
    const { actor } = request
    // A session that could open others would outlive its own end, and could sign out others of its token. That of an admin can
    // make tokens as well.
    const hasToken = request.headers.authorization !== undefined
    if (!hasToken && !isRoleEnough(actor.role, 'admin'))
      throw new Problem('forbidden', { detail: LINK_NEEDS_TOKEN })
    const role = request.body.role ?? actor.role
    if (!isRoleEnough(actor.role, role))
      throw new Problem('forbidden', { detail: `Your role ${actor.role} cannot give ${role}.` })
    const now = clock.wall()
    const { code, expiresAt } = codes.create({ role, tokenId: actor.tokenId }, now)
    const after = { role, expiresAt: formatTimestamp(expiresAt) }
    await audit.append(auditEntry(request, now, { targetId: null, before: null, after }))
    return reply.code(201).send({ path: `/console/sign-in#${code}`, ...after })
  })

  app.get('/session', { schema: sessionSchemas.current }, async ({ actor, headers }) => {
    const { id, name, role, credential } = actor
    const isToken = headers.authorization !== undefined
    const kind = isToken ? 'token' : id === THIS_MACHINE_ID ? 'open' : 'session'
    return { kind, id, name, role, csrfToken: isToken ? null : csrfTokenOf(credential.reveal()) }
  })

  app.get('/sessions', { schema: sessionSchemas.list }, ({ query }) =>
    list.page(query, (page) => pageOf(sessions.list(), page)),
  )

  app.delete('/sessions/:id', { schema: sessionSchemas.remove }, async (request, reply) => {
    const session = tokens.current.get(request.params.id)
    if (session === undefined || !isSession(session))
      throw new Problem('not_found', { detail: 'No session has this id.' })
    const isOwn = session.id === request.actor.id
    if (!isOwn && !isRoleEnough(request.actor.role, 'admin'))
      throw new Problem('forbidden', { detail: 'Only an admin ends the sessions of others.' })
    await sessions.end(request, session)
    if (isOwn) setSessionCookie(request, reply, '', 0)
    return reply.code(204).send()
  })
}

const LINK_NEEDS_TOKEN =
  'A session makes sign-in links only with the role admin. With a token, each role makes links: run `hookline console`, or send Authorization: Bearer <token>.'

function byCode(
  code: string,
  request: FastifyRequest,
  { access, codes }: SessionDeps,
): Opener | Problem {
  const { clock, wrongTokens, openers, adminToken } = access
  const now = clock.wall()
  const found = codes.find(code, now)
  const detail =
    'The sign-in link has ended: it was used before, is older than 30 minutes or than the last restart, or its token has ended. `hookline console` makes another.'
  const refused = unauthorized(undefined, detail)
  if (found === undefined || !openers.mayOpen(openers.openerOf(found.tokenId), now))
    return wrongTokens.add(request.ip) ?? refused
  const takeLink = (): Problem | undefined => (codes.take(code) ? undefined : refused)
  const { tokenId, role } = found
  return { tokenId, role, name: 'Sign-in link', credential: adminToken, takeLink }
}

function byToken(
  token: string,
  request: FastifyRequest,
  { access, limit }: SessionDeps,
): Opener | Problem {
  const actor = tokenActor(token, request.ip, access)
  return actor instanceof Problem ? actor : (limit.refusal(actor) ?? actor)
}

function setSessionCookie(
  { protocol }: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifetimeMs: number,
): void {
  reply.header('set-cookie', setCookie(secret, Math.floor(lifetimeMs / 1000), protocol === 'https'))
}
