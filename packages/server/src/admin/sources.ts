import {
  BUILT_IN_SOURCE_ID,
  DEFAULT_SPACE,
  newId,
  type Source,
  type WriteKey,
} from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import { randomInt } from 'node:crypto'
import Type from 'typebox'
import type { AuditEntry } from '../backend/audit.ts'
import type { KeyUses } from '../backend/catalog.ts'
import type { AdminApp } from './api/admin-app.ts'
import { changeRecord, entityTag, requireMatch, requireSource } from './api/catalog-records.ts'
import { List, pageOf } from './api/list.ts'
import * as Schema from './api/schema.ts'
import {
  auditEntry,
  auditedRecords,
  type ChangeDeps,
  recordEntry,
  type RecordRequest,
} from './audit.ts'
import type { FieldError } from '../util/field-error.ts'
import { presentDestination } from './destinations/destinations.ts'
import { parseSourceFields, presentFields } from './destinations/routing-settings.ts'
import { respondWith, withResponse } from './idempotency.ts'
import { Problem } from './problems/problem.ts'

const WriteKeyResponse = Type.Object({
  key: Type.String(),
  createdAt: Schema.time,
  lastUsedAt: Schema.nullable(Schema.timeOf('To the minute; null if never used.')),
})

const fields = {
  name: Schema.name,
  enabled: Schema.boolean('true or false. A disabled source rejects all calls.'),
  rateLimit: Schema.nullable(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The maximum number of calls per second on each node, at least 1; null for no limit.',
    }),
  ),
  space: Schema.space(
    'Sources in the same space share profiles. A change applies to new events: earlier profiles remain in their space.',
  ),
}

const FIELDS_TEXT =
  'Which unknown fields, and which parts of context, properties and traits, are stored: {"drop": ["context.ip"], "hash": [{"path": "traits.email", "normalize": "email"}]} or {"keep": [...]}. salt, the key of the hashes, is a secret: random if absent. If fields is null or absent, everything is stored.'
const fieldRules = Type.Optional(
  Type.Unsafe<object | null>({ type: ['object', 'null'], description: FIELDS_TEXT }),
)

const optional = {
  fields: fieldRules,
  enabled: Type.Optional(fields.enabled),
  rateLimit: Type.Optional(fields.rateLimit),
  space: Type.Optional(fields.space),
}

const CreateSourceRequest = Type.Object({ name: fields.name, ...optional }, Schema.strict)

const ChangeSourceRequest = Type.Object(
  { name: Type.Optional(fields.name), ...optional },
  {
    additionalProperties: false,
    'x-immutable': {
      ...Schema.IMMUTABLE_FIELDS,
      writeKeys: 'Add keys with POST /sources/:id/write-keys, and remove them with DELETE.',
    },
  },
)

const SourceResponse = Type.Object(
  {
    id: Type.String(),
    ...fields,
    fields: fieldRules,
    writeKeys: Type.Array(WriteKeyResponse),
    createdAt: Schema.time,
    updatedAt: Schema.time,
    version: Schema.version,
  },
  { $id: 'Source' },
)

const { viewer, editor } = Schema.operationsTagged('Sources')
const one = (status: 200 | 201) =>
  Schema.versionedResponses(status, 'The source.', Schema.ref(SourceResponse))

const sourceSchemas = {
  list: {
    ...viewer('listSources', 'Lists sources, oldest first'),
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of sources.', Schema.ref(SourceResponse)),
  },
  create: {
    ...editor('createSource', 'Creates a source with a write key'),
    body: CreateSourceRequest,
    response: one(201),
  },
  get: {
    ...viewer('getSource', 'Shows a source'),
    params: Schema.IdParams,
    response: one(200),
  },
  change: {
    ...editor('changeSource', 'Changes a source'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: ChangeSourceRequest,
    response: one(200),
  },
  remove: {
    ...editor('removeSource', 'Deletes a source and its destinations'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    response: Schema.responses(204, 'The source was deleted.'),
  },
  addKey: {
    ...editor('addWriteKey', 'Adds a write key'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: Schema.EmptyBody,
    response: Schema.versionedResponses(201, 'The new write key.', WriteKeyResponse),
  },
  removeKey: {
    ...editor('removeWriteKey', 'Deletes a write key'),
    description: 'Calls with this key are rejected. A source without keys rejects all calls.',
    params: Type.Object({ id: Type.String(), key: Type.String() }),
    headers: Schema.IfMatchHeaders,
    response: one(200),
  },
}

export interface SourceDeps extends Pick<ChangeDeps, 'catalog' | 'clock'> {
  readonly keyUses: Pick<KeyUses, 'lastUsedAt'>
}

/** `/sources`, and the write keys of each. */
export function addSourceRoutes(app: AdminApp, deps: SourceDeps): void {
  addRecordRoutes(app, deps)
  addWriteKeyRoutes(app, deps)
}

function addRecordRoutes(app: AdminApp, deps: SourceDeps): void {
  const { catalog, keyUses, clock } = deps
  const list = new List<Source>('sources', (source) => presentSource(source, keyUses))
  const audited = (source: Source): object => auditedSource(source, keyUses)
  const respond = (source: Source, reply: FastifyReply): object => {
    reply.header('etag', entityTag(source.version))
    return presentSource(source, keyUses)
  }

  app.get('/sources', { schema: sourceSchemas.list }, ({ query }) =>
    list.page(query, (page) => pageOf(catalog.current.sources.values(), page)),
  )

  app.post('/sources', { schema: sourceSchemas.create }, async (request, reply) => {
    const now = clock.wall()
    const source = {
      id: newId('src', now),
      enabled: true,
      rateLimit: null,
      ...requestedFields(request.body, undefined),
      writeKeys: [newWriteKey(now)],
      createdAt: now,
      updatedAt: now,
      version: 1,
    }
    const location = `${app.prefix}/sources/${source.id}`
    const headers = { location, etag: entityTag(source.version) }
    const created = { status: 201, headers, body: presentSource(source, keyUses) } as const
    const entry = recordEntry(request, now, [null, source], audited)
    await catalog.putSource(source, withResponse(entry, created, request))
    return respondWith(created, reply)
  })

  app.get('/sources/:id', { schema: sourceSchemas.get }, async ({ params }, reply) =>
    respond(requireSource(catalog, params.id), reply),
  )

  app.patch('/sources/:id', { schema: sourceSchemas.change }, async (request, reply) => {
    const change = ({ fields: before, ...source }: Source): Source => ({
      ...source,
      ...requestedFields(request.body, before),
    })
    return respond(await changeSource(request, deps, change), reply)
  })

  app.delete('/sources/:id', { schema: sourceSchemas.remove }, async (request, reply) => {
    const source = requireChangeable(catalog, request.params.id)
    requireMatch(request.headers['if-match'], source.version)
    const removed = catalog.current.destinationsBySource.get(source.id) ?? []
    const destinations = auditedRecords(removed, presentDestination)
    const change = {
      targetId: source.id,
      before: { ...audited(source), destinations },
      after: null,
    }
    await catalog.removeSource(source.id, auditEntry(request, clock.wall(), change))
    return reply.code(204).send()
  })
}

function addWriteKeyRoutes(app: AdminApp, deps: SourceDeps): void {
  const { keyUses, clock } = deps

  app.post('/sources/:id/write-keys', { schema: sourceSchemas.addKey }, async (request, reply) => {
    const writeKey = newWriteKey(clock.wall())
    const response = ({ id, version }: Source) => {
      const location = `${app.prefix}/sources/${id}/write-keys/${writeKey.key}`
      const headers = { location, etag: entityTag(version) }
      return { status: 201, headers, body: presentWriteKey(writeKey, keyUses) } as const
    }
    const source = await changeSource(
      request,
      deps,
      (before) => ({ ...before, writeKeys: [...before.writeKeys, writeKey] }),
      (entry, next) => withResponse(entry, response(next), request),
    )
    return respondWith(response(source), reply)
  })

  app.delete(
    '/sources/:id/write-keys/:key',
    { schema: sourceSchemas.removeKey },
    async (request, reply) => {
      const { key } = request.params
      const source = await changeSource(request, deps, (before) => {
        const writeKeys = before.writeKeys.filter((each) => each.key !== key)
        if (writeKeys.length < before.writeKeys.length) return { ...before, writeKeys }
        throw new Problem('not_found', { detail: 'The source has no such write key.' })
      })
      reply.header('etag', entityTag(source.version))
      return presentSource(source, keyUses)
    },
  )
}

/** The source with this id. @throws {Problem} `invalid_state` for the built-in source */
function requireChangeable(catalog: SourceDeps['catalog'], id: string): Source {
  const source = requireSource(catalog, id)
  if (id !== BUILT_IN_SOURCE_ID) return source
  const detail = 'The built-in source cannot be changed or deleted. Change its destinations.'
  throw new Problem('invalid_state', { detail })
}

/** @param audited extends the audit entry */
function changeSource(
  request: RecordRequest,
  { catalog, keyUses, clock }: SourceDeps,
  change: (source: Source) => Source,
  audited: (entry: AuditEntry, next: Source) => AuditEntry = (entry) => entry,
): Promise<Source> {
  const present = (source: Source): object => auditedSource(source, keyUses)
  return changeRecord<Source>({
    read: () => requireChangeable(catalog, request.params.id),
    change,
    put: (next, previous) => {
      const entry = recordEntry(request, next.updatedAt, [previous, next], present)
      return catalog.putSource(next, audited(entry, next))
    },
    now: clock.wall(),
    ifMatch: request.headers['if-match'],
  })
}

/** The body with its validated `fields`, or the previous ones. @throws {Problem} `invalid_body` */
function requestedFields<T extends { readonly fields?: object | null }>(
  { fields: input, ...body }: T,
  previous: Source['fields'],
): Omit<T, 'fields'> & Pick<Source, 'fields'> {
  const errors: FieldError[] = []
  const parsed = input === undefined ? previous : parseSourceFields(input, errors, previous)
  if (errors.length > 0) throw new Problem('invalid_body', { errors })
  return { ...body, ...(parsed && { fields: parsed }) }
}

/** The source in the audit log, with the last characters of its write keys. */
export function auditedSource(source: Source, keyUses: SourceDeps['keyUses']): object {
  const writeKeys = source.writeKeys.map((each) => ({
    ...presentWriteKey(each, keyUses),
    key: `…${each.key.slice(-4)}`,
  }))
  return { ...presentSource(source, keyUses), writeKeys }
}

function presentSource(source: Source, keyUses: SourceDeps['keyUses']): object {
  return {
    space: DEFAULT_SPACE,
    ...Schema.withTimes(source, 'createdAt', 'updatedAt'),
    ...(source.fields && { fields: presentFields(source.fields) }),
    writeKeys: source.writeKeys.map((key) => presentWriteKey(key, keyUses)),
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 32

/** A new write key: `wk_` and 190 random bits in letters and digits. */
export function newWriteKey(createdAt: number): WriteKey {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!)
  return { key: `wk_${characters.join('')}`, createdAt }
}

function presentWriteKey({ key, createdAt }: WriteKey, keyUses: SourceDeps['keyUses']): object {
  const lastUsedAt = keyUses.lastUsedAt(key) ?? null
  return Schema.withTimes({ key, createdAt, lastUsedAt }, 'createdAt', 'lastUsedAt')
}
