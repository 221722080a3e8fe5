import { formatTimestamp, type Source, type WriteKey } from '@hookline/protocol'
import Type from 'typebox'
import type { KeyUses } from '../../backend/catalog.ts'
import { LIST_QUERY, pageSchema } from '../api/list.ts'
import { responses, shared, versioned } from '../problems/responses.ts'
import { IdInPath, IfMatch, nameField, nullable, SET_BY_SERVER, time } from '../api/schema.ts'

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

const NewSource = Type.Object({ name: fields.name, ...optional }, { additionalProperties: false })

const SourceChange = Type.Object(
  { name: Type.Optional(fields.name), ...optional },
  {
    additionalProperties: false,
    'x-fixed': {
      ...SET_BY_SERVER,
      writeKeys: 'Make keys with POST /sources/:id/write-keys, remove them with DELETE.',
    },
  },
)

const WriteKeyShown = Type.Object({
  key: Type.String(),
  createdAt: time,
  lastUsedAt: nullable({ ...time, description: 'To the minute; null while unused.' }),
})

/** A source as the API shows it. */
export const SourceShown = Type.Object(
  {
    id: Type.String(),
    ...fields,
    writeKeys: Type.Array(WriteKeyShown),
    createdAt: time,
    updatedAt: time,
    version: Type.Integer({ description: 'What the ETag says.' }),
  },
  { $id: 'Source' },
)

const about = (operationId: string, summary: string) => ({
  tags: ['Sources'],
  operationId,
  summary,
})
const one = (status: 200 | 201) => versioned(status, 'The source.', shared('Source'))

/** What the routes of sources take and answer. */
export const SOURCE_SCHEMAS = {
  list: {
    ...about('listSources', 'Lists sources, oldest first'),
    querystring: Type.Object(LIST_QUERY, { additionalProperties: false }),
    response: responses(200, 'A page of sources.', pageSchema(shared('Source'))),
  },
  create: {
    ...about('createSource', 'Makes a source with a write key'),
    body: NewSource,
    response: one(201),
  },
  get: {
    ...about('getSource', 'Shows a source'),
    params: IdInPath,
    response: one(200),
  },
  change: {
    ...about('changeSource', 'Changes the fields that are given'),
    params: IdInPath,
    headers: IfMatch,
    body: SourceChange,
    response: one(200),
  },
  remove: {
    ...about('removeSource', 'Removes a source and its destinations'),
    params: IdInPath,
    headers: IfMatch,
    response: responses(204, 'It is gone.'),
  },
  addKey: {
    ...about('addWriteKey', 'Makes another write key'),
    params: IdInPath,
    headers: IfMatch,
    body: Type.Object({}, { additionalProperties: false }),
    response: versioned(201, 'The new write key.', WriteKeyShown),
  },
  removeKey: {
    ...about('removeWriteKey', 'Removes a write key'),
    description:
      'Calls with this key are refused from now on. The last key may be removed too: then the source takes no calls until another one is made.',
    params: Type.Object({ id: Type.String(), key: Type.String() }),
    headers: IfMatch,
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

/** The write key as the API shows it. It is no secret: it stands in the pages that send events. */
export function presentWriteKey(
  { key, createdAt }: WriteKey,
  keyUses: Pick<KeyUses, 'lastUsedAt'>,
): object {
  const usedAt = keyUses.lastUsedAt(key)
  const lastUsedAt = usedAt === undefined ? null : formatTimestamp(usedAt)
  return { key, createdAt: formatTimestamp(createdAt), lastUsedAt }
}
