import { formatTimestamp, type Source } from '@hookline/protocol'
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
  time,
  operationsTagged,
} from '../api/schema-parts.ts'
import { presentWriteKey, WriteKeyResponse } from './write-key.ts'

const fields = {
  name: nameField,
  enabled: Type.Boolean({
    description: 'true or false. Calls to a disabled source are refused.',
  }),
  rateLimit: nullable(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Calls per second and node, a whole number from 1; null for no limit.',
    }),
  ),
}

const optional = {
  enabled: Type.Optional(fields.enabled),
  rateLimit: Type.Optional(fields.rateLimit),
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
      writeKeys: 'Make keys with POST /sources/:id/write-keys, remove them with DELETE.',
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
    version: Type.Integer({ description: 'What the ETag says.' }),
  },
  { $id: 'Source' },
)

const operation = operationsTagged('Sources')
const one = (status: 200 | 201) =>
  versionedResponses(status, 'The source.', componentSchema('Source'))

/** What the routes of sources take and answer. */
export const sourceSchemas = {
  list: {
    ...operation('listSources', 'Lists sources, oldest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of sources.', pageSchema(componentSchema('Source'))),
  },
  create: {
    ...operation('createSource', 'Makes a source with a write key'),
    body: CreateSourceRequest,
    response: one(201),
  },
  get: {
    ...operation('getSource', 'Shows a source'),
    params: IdParams,
    response: one(200),
  },
  change: {
    ...operation('changeSource', 'Changes the fields that are given'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: ChangeSourceRequest,
    response: one(200),
  },
  remove: {
    ...operation('removeSource', 'Removes a source and its destinations'),
    params: IdParams,
    headers: IfMatchHeaders,
    response: responses(204, 'It is gone.'),
  },
  addKey: {
    ...operation('addWriteKey', 'Makes another write key'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: versionedResponses(201, 'The new write key.', WriteKeyResponse),
  },
  removeKey: {
    ...operation('removeWriteKey', 'Removes a write key'),
    description:
      'Calls with this key are refused from now on. The last key may be removed too: then the source takes no calls until another one is made.',
    params: Type.Object({ id: Type.String(), key: Type.String() }),
    headers: IfMatchHeaders,
    response: one(200),
  },
}

/** The source as the API shows it. */
export function presentSource(source: Source, keyUses: Pick<KeyUses, 'lastUsedAt'>): object {
  const { id, name, enabled, rateLimit, writeKeys, createdAt, updatedAt, version } = source
  return {
    id,
    name,
    enabled,
    rateLimit,
    writeKeys: writeKeys.map((key) => presentWriteKey(key, keyUses)),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    version,
  }
}
