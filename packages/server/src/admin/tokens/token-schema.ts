import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { ROLES, type StoredToken } from '../../backend/tokens.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import {
  IdParams,
  nameField,
  nullable,
  time,
  operationsTagged,
  timeOrNull,
} from '../api/schema-parts.ts'

const role = Type.Enum([...ROLES], {
  description: `One of ${ROLES.join(', ')}. Viewers read, editors also change records, admins also manage tokens and data.`,
})

const fields = {
  id: Type.String(),
  name: nameField,
  role,
  createdAt: time,
  expiresAt: nullable(time),
  lastUsedAt: nullable(time),
}

/** A token as the API shows it, without the secret itself. */
export const TokenResponse = Type.Object(fields, { $id: 'Token' })

const CreateTokenRequest = Type.Object(
  {
    name: nameField,
    role,
    expiresAt: Type.Optional(
      nullable(
        Type.String({
          maxLength: 40,
          description: 'When it expires: a time in the future, ISO 8601. null or absent for never.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
)

const operation = operationsTagged('Tokens')

/** Requests and responses of the routes of tokens. */
export const tokenSchemas = {
  list: {
    ...operation('listTokens', 'Lists tokens, oldest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of tokens.', pageSchema(componentSchema('Token'))),
  },
  create: {
    ...operation('createToken', 'Creates a token and shows it once'),
    body: CreateTokenRequest,
    response: responses(
      201,
      'The token. Only its hash is kept, so it cannot be shown again.',
      Type.Object({
        ...fields,
        token: Type.String({ description: 'The secret token: store it safely.' }),
      }),
    ),
  },
  remove: {
    ...operation('removeToken', 'Removes a token'),
    params: IdParams,
    response: responses(204, 'The token was removed. From now on, requests with it are refused.'),
  },
}

/** The token as the API shows it. */
export function presentToken({ hash: _, ...token }: StoredToken): object {
  return {
    ...token,
    createdAt: formatTimestamp(token.createdAt),
    expiresAt: timeOrNull(token.expiresAt),
    lastUsedAt: timeOrNull(token.lastUsedAt),
  }
}
