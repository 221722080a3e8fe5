import { formatTimestamp } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role, StoredToken } from '../../backend/tokens.ts'
import {
  type Actor,
  type Authentication,
  tokenActor,
  unauthorized,
} from '../access/authenticate.ts'
import { isRoleEnough } from '../access/route-roles.ts'
import { csrfTokenOf, setCookie } from '../access/session-cookie.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, pageOf } from '../api/list.ts'
import { auditEntry, recordEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import { hashOf, isSession, isValid, newToken } from '../tokens/token.ts'
import { presentSession, sessionSchemas } from './session-schema.ts'
import type { SignInCodes } from './sign-in-codes.ts'

/** More than any team has open. Another one ends the oldest. */
const MOST_SESSIONS = 1_000

const list = new List<StoredToken>('sessions', presentSession)

/** `/sessions` for a browser that is not signed in yet. */
export function addSignInRoute(
  app: AdminApp,
  deps: AdminDeps & Authentication,
  codes: SignInCodes,
): void {
  app.post('/sessions', { schema: sessionSchemas.create }, async (request, reply) => {
    const { code, token } = request.body
    const opened =
      code === undefined ? byToken(token ?? '', request, deps) : byCode(code, request, deps, codes)
    if (opened instanceof Problem) throw opened
    const { session, secret } = newSession(opened, deps)
    request.actor = { ...session, credential: opened.actor.credential }
    await makeRoom(request, deps)
    const now = deps.clock.wall()
    await deps.tokens.add(session, recordEntry(request, now, [null, session], presentSession))
    setSessionCookie(request, reply, secret, deps.sessionLifetimeMs)
    const { id, name, role } = session
    return reply.code(201).send({ kind: 'session', id, name, role, csrfToken: csrfTokenOf(secret) })
  })
}

/** The routes of sessions, for those who are signed in or have a token. */
export function addSessionRoutes(app: AdminApp, deps: AdminDeps, codes: SignInCodes): void {
  const { tokens, clock } = deps

  app.post('/sign-in-links', { schema: sessionSchemas.createLink }, async (request, reply) => {
    const { actor } = request
    const role = request.body.role ?? actor.role
    if (!isRoleEnough(actor.role, role))
      throw new Problem('forbidden', { detail: `Your role ${actor.role} cannot give ${role}.` })
    const openedBy = tokens.current.has(actor.id) ? actor.id : null
    const now = clock.wall()
    const { code, expiresAt } = codes.create({ role, openedBy }, now)
    const after = { role, expiresAt: formatTimestamp(expiresAt) }
    await deps.audit.append(auditEntry(request, now, { targetId: null, before: null, after }))
    return reply.code(201).send({ path: `/console/sign-in#${code}`, ...after })
  })

  app.get('/session', { schema: sessionSchemas.current }, async ({ actor, headers }) => {
    const { id, name, role, credential } = actor
    const isToken = headers.authorization !== undefined
    const kind = isToken ? 'token' : id === 'this-machine' ? 'open' : 'session'
    return { kind, id, name, role, csrfToken: isToken ? null : csrfTokenOf(credential.reveal()) }
  })

  app.get('/sessions', { schema: sessionSchemas.list }, ({ query }) => {
    const now = clock.wall()
    const open = [...tokens.current.values()].filter(
      (each) => isSession(each) && isValid(each, tokens, now),
    )
    return list.page(query, (page) => pageOf(open, page))
  })

  app.delete('/sessions/:id', { schema: sessionSchemas.remove }, async (request, reply) => {
    const session = tokens.current.get(request.params.id)
    if (session === undefined || !isSession(session))
      throw new Problem('not_found', { detail: 'No session has this id.' })
    const isOwn = session.id === request.actor.id
    if (!isOwn && !isRoleEnough(request.actor.role, 'admin'))
      throw new Problem('forbidden', { detail: 'Only an admin ends the sessions of others.' })
    await end(request, session, deps)
    if (isOwn) setSessionCookie(request, reply, '', 0)
    return reply.code(204).send()
  })
}

interface Opened {
  readonly actor: Pick<Actor, 'name' | 'role' | 'credential'>
  /** The token that opens the session. */
  readonly openedBy: string | null
}

function byCode(
  code: string,
  request: FastifyRequest,
  { clock, wrongTokens, adminToken }: AdminDeps & Authentication,
  codes: SignInCodes,
): Opened | Problem {
  const found = codes.take(code, clock.wall())
  if (found !== undefined)
    return { actor: { name: 'Sign-in link', role: found.role, credential: adminToken }, ...found }
  const detail =
    'The sign-in link was used before, is older than 30 minutes, or is of before a restart. `hookline console` makes another.'
  return wrongTokens.add(request.ip) ?? unauthorized(undefined, detail)
}

function byToken(
  token: string,
  request: FastifyRequest,
  deps: AdminDeps & Authentication,
): Opened | Problem {
  const actor = tokenActor(token, request.ip, deps)
  if (actor instanceof Problem) return actor
  return { actor, openedBy: deps.tokens.current.has(actor.id) ? actor.id : null }
}

function newSession(
  { actor, openedBy }: Opened,
  { clock, sessionLifetimeMs }: AdminDeps,
): { readonly session: StoredToken; readonly secret: string } {
  const now = clock.wall()
  const { id, token: secret } = newToken(now, 'ses')
  const { name, role }: { name: string; role: Role } = actor
  const session = {
    id,
    name,
    role,
    hash: hashOf(secret),
    createdAt: now,
    expiresAt: now + sessionLifetimeMs,
    lastUsedAt: now,
    ...(openedBy !== null && { openedBy }),
  }
  return { session, secret }
}

/** Ends sessions that are over, and the oldest where there are too many. */
async function makeRoom(request: FastifyRequest, deps: AdminDeps): Promise<void> {
  const { tokens, clock } = deps
  const sessions = [...tokens.current.values()].filter(isSession)
  const now = clock.wall()
  const over = sessions.filter((each) => !isValid(each, tokens, now))
  const open = sessions.filter((each) => isValid(each, tokens, now))
  const tooMany = open.slice(0, Math.max(0, open.length - MOST_SESSIONS + 1))
  // At once, so that they share a write to the disk.
  await Promise.all([...over, ...tooMany].map((session) => end(request, session, deps)))
}

async function end(
  request: FastifyRequest,
  session: StoredToken,
  { tokens, clock }: AdminDeps,
): Promise<void> {
  const now = clock.wall()
  await tokens.remove(session.id, recordEntry(request, now, [session, null], presentSession))
}

function setSessionCookie(
  { protocol }: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  lifetimeMs: number,
): void {
  reply.header('set-cookie', setCookie(secret, Math.floor(lifetimeMs / 1000), protocol === 'https'))
}
