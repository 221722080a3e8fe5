import { DEFAULT_SPACE, formatTimestamp, type Source } from '@hookline/protocol'
import Type from 'typebox'
import type { KeyUses } from '../../backend/catalog.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { responses, componentSchema, versionedResponses } from '../problems/responses.ts'
import {
  EmptyBody,
  IdParams,
  IfMatchHeaders,
  nameField,
  nullable,
  FIXED_FIELDS,
  spaceField,
  time,
  operationsTagged,
} from '../api/schema-parts.ts'
import { presentWriteKey, WriteKeyResponse } from './write-key.ts'

const fields = {
  name: nameField,
  enabled: Type.Boolean({
    description: 'true or false. A disabled source refuses all calls.',
  }),
  rateLimit: nullable(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Calls per second and node, a whole number from 1; null for no limit.',
    }),
  ),
  space: spaceField(
    'Sources of one space have one profile for each user. A change applies to events that arrive from then on: what profiles know from earlier ones stays where it is.',
  ),
}

const optional = {
  enabled: Type.Optional(fields.enabled),
  rateLimit: Type.Optional(fields.rateLimit),
  space: Type.Optional(fields.space),
}

const CreateSourceRequest = Type.Object(
  { name: fields.name, ...optional },
  { additionalProperties: false },
)

const ChangeSourceRequest = Type.Object(
  { name: Type.Optional(fields.name), ...optional },
  {
    additionalProperties: false,
    'x-fixed': {
      ...FIXED_FIELDS,
      writeKeys: 'Add keys with POST /sources/:id/write-keys, remove them with DELETE.',
    },
  },
)

/** A source as the API shows it. */
export const SourceResponse = Type.Object(
  {
    id: Type.String(),
    ...fields,
    writeKeys: Type.Array(WriteKeyResponse),
    createdAt: time,
    updatedAt: time,
    version: Type.Integer({ description: 'The version, as in the ETag.' }),
  },
  { $id: 'Source' },
)

const operation = operationsTagged('Sources')
const one = (status: 200 | 201) =>
  versionedResponses(status, 'The source.', componentSchema('Source'))

/** Requests and responses of the routes of sources. */
export const sourceSchemas = {
  list: {
    ...operation('listSources', 'Lists sources, oldest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of sources.', pageSchema(componentSchema('Source'))),
  },
  create: {
    ...operation('createSource', 'Creates a source with a write key'),
    body: CreateSourceRequest,
    response: one(201),
  },
  get: {
    ...operation('getSource', 'Shows a source'),
    params: IdParams,
    response: one(200),
  },
  change: {
    ...operation('changeSource', 'Changes a source'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: ChangeSourceRequest,
    response: one(200),
  },
  remove: {
    ...operation('removeSource', 'Removes a source and its destinations'),
    params: IdParams,
    headers: IfMatchHeaders,
    response: responses(204, 'The source was removed.'),
  },
  addKey: {
    ...operation('addWriteKey', 'Adds a write key'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: versionedResponses(201, 'The new write key.', WriteKeyResponse),
  },
  removeKey: {
    ...operation('removeWriteKey', 'Removes a write key'),
    description:
      'From now on, calls with this key are refused. The last key may be removed too: the source then refuses all calls until a key is added.',
    params: Type.Object({ id: Type.String(), key: Type.String() }),
    headers: IfMatchHeaders,
    response: one(200),
  },
}

/** The source as the audit log shows it. Write keys are public, but the log needs only their ends. */
export function auditedSource(source: Source, keyUses: Pick<KeyUses, 'lastUsedAt'>): object {
  const writeKeys = source.writeKeys.map((each) => ({
    ...presentWriteKey(each, keyUses),
    key: `…${each.key.slice(-4)}`,
  }))
  return { ...presentSource(source, keyUses), writeKeys }
}

/** The source as the API shows it. */
export function presentSource(source: Source, keyUses: Pick<KeyUses, 'lastUsedAt'>): object {
  const { id, name, enabled, rateLimit, space = DEFAULT_SPACE, writeKeys } = source
  const { createdAt, updatedAt, version } = source
  return {
    id,
    name,
    enabled,
    rateLimit,
    space,
    writeKeys: writeKeys.map((key) => presentWriteKey(key, keyUses)),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    version,
  }
}
