import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { ROLES, type StoredToken } from '../../backend/tokens.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { IdParams, nullable, operationsTagged, time, timeOrNull } from '../api/schema-parts.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import { tokenIdOf } from '../tokens/openers.ts'

const role = Type.Enum([...ROLES], { description: `One of ${ROLES.join(', ')}.` })

/** A session of the console as the API shows it, without its secret. */
export const SessionResponse = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Who opened it: a sign-in link, or the name of a token.' }),
    openedBy: Type.String({
      description:
        'The id of the token that opened it or made the link; admin-token; or this-machine, where the service is open on its machine. The session ends with it.',
    }),
    role,
    createdAt: time,
    expiresAt: nullable(time),
    lastUsedAt: nullable(time),
  },
  { $id: 'Session' },
)

const CurrentSession = Type.Object({
  kind: Type.Enum(['session', 'token', 'open'], {
    description:
      'How the request was authenticated. open: `hookline dev` on this machine, which needs no login.',
  }),
  id: Type.String(),
  name: Type.String(),
  role,
  csrfToken: nullable(
    Type.String({ description: 'The value of X-CSRF-Token for changes; null with a token.' }),
  ),
})

const CreateSessionRequest = Type.Object(
  {
    code: Type.Optional(
      Type.String({ maxLength: 200, description: 'The code of a sign-in link, after its #.' }),
    ),
    token: Type.Optional(Type.String({ maxLength: 500, description: 'A token of this API.' })),
  },
  { additionalProperties: false },
)

const operation = operationsTagged('Sessions')

/** Requests and responses of the routes of sessions. */
export const sessionSchemas = {
  createLink: {
    ...operation('createSignInLink', 'Makes a link that signs a browser in to the console, once'),
    body: Type.Object({ role: Type.Optional(role) }, { additionalProperties: false }),
    response: responses(
      201,
      'The link. It works once, within 30 minutes. A restart of the service ends it, and so does the 100th link after it of the same token.',
      Type.Object({
        path: Type.String({
          description: 'The path of the link, below the address of the service.',
        }),
        role,
        expiresAt: time,
      }),
    ),
  },
  create: {
    ...operation('createSession', 'Signs a browser in, with the code of a link or with a token'),
    security: [],
    body: CreateSessionRequest,
    response: responses(
      201,
      'The session, whose secret is in a cookie. Where a token has opened 100, its oldest ends.',
      CurrentSession,
    ),
  },
  current: {
    ...operation('getCurrentSession', 'Shows who makes the request'),
    response: responses(200, 'Who makes the request.', CurrentSession),
  },
  list: {
    ...operation('listSessions', 'Lists the sessions of the console, oldest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of sessions.', pageSchema(componentSchema('Session'))),
  },
  remove: {
    ...operation('removeSession', 'Ends a session: an admin ends each, others end their own'),
    params: IdParams,
    response: responses(204, 'The session has ended. From now on, requests with it are refused.'),
  },
}

/** The session as the API shows it. */
export function presentSession({ hash: _, openedBy = '', ...session }: StoredToken): object {
  return {
    ...session,
    openedBy: tokenIdOf(openedBy),
    createdAt: formatTimestamp(session.createdAt),
    expiresAt: timeOrNull(session.expiresAt),
    lastUsedAt: timeOrNull(session.lastUsedAt),
  }
}
