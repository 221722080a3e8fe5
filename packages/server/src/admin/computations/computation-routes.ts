import type { Computation } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { dependenciesOf } from '../../audiences/conditions/references.ts'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { changeRecord, entityTag, requireMatch } from '../api/catalog-records.ts'
import { List, pageOf } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { recordEntry } from '../audit.ts'
import { respondWith, withResponse } from '../idempotency.ts'
import { Problem } from '../problems/problem.ts'
import {
  changeBody,
  changedComputation,
  type ComputationDeps,
  type ComputationKind,
  creationBody,
  newComputation,
  presentComputation,
  presentStatus,
  presentSync,
  requireComputation,
  SyncResponse,
} from './computation.ts'

const RemoveQuery = Type.Object(
  {
    announce: Type.Optional(
      Schema.oneOf(
        ['true', 'false'],
        "true: first sends each user's removal to the destinations (false for an audience, null for a computed trait). The response is then 202.",
      ),
    ),
  },
  Schema.strict,
)

function recordSchemas(kind: ComputationKind) {
  const { tag, operation: name, withArticle, many, record: shown, newFields } = kind
  const { viewer, editor } = Schema.operationsTagged(tag)
  const params = Schema.IdParams
  return {
    list: {
      ...viewer(`list${name}s`, `Lists ${many}, oldest first`),
      querystring: Type.Object(
        { ...Schema.listQuery, space: Type.Optional(Schema.space(`Only ${many} in this space.`)) },
        Schema.strict,
      ),
      response: Schema.pages(`A page of ${many}.`, shown),
    },
    create: {
      ...editor(
        `create${name}`,
        `Creates ${withArticle}, and sends its value for each user who has one`,
      ),
      description:
        'The key is the name in snake_case. It is unique in the space and never changes. The first sync starts immediately.',
      body: creationBody(newFields),
      response: Schema.versionedResponses(201, 'The record and its state.', shown),
    },
    get: {
      ...viewer(`get${name}`, `Shows ${withArticle}, with its state, its size and its last sync`),
      params,
      response: Schema.versionedResponses(200, 'The record and its state.', shown),
    },
    change: {
      ...editor(`change${name}`, `Changes ${withArticle}`),
      description:
        'Absent fields are not changed. A new definition starts a sync, which sends only changed values. An added destination gets every value.',
      params,
      headers: Schema.IfMatchHeaders,
      body: changeBody(kind),
      response: Schema.versionedResponses(200, 'The changed record.', shown),
    },
    remove: {
      ...editor(`remove${name}`, `Deletes ${withArticle}`),
      params,
      headers: Schema.IfMatchHeaders,
      querystring: RemoveQuery,
      response: {
        ...Schema.responses(204, 'The record was deleted.'),
        ...Schema.responses(202, 'The record is deleted after the sync.', Schema.ref(SyncResponse)),
      },
    },
  }
}

/**
 * The routes that create, read, change and delete audiences or computed traits. Changes run one at
 * a time.
 */
export function addComputationRoutes(
  app: AdminApp,
  deps: ComputationDeps,
  kind: ComputationKind,
): void {
  addReadRoutes(app, deps, kind)
  addCreateRoute(app, deps, kind)
  addUpdateRoute(app, deps, kind)
  addDeleteRoute(app, deps, kind)
}

function addReadRoutes(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  const { path } = kind
  const schemas = recordSchemas(kind)
  const list = new List<object>(path.slice(1), (shown) => shown)
  app.get(path, { schema: schemas.list }, ({ query }) =>
    list.page(query, async (page) => {
      const all = [...deps.catalog.current.computations.values()].filter(
        (each) =>
          each.kind === kind.kind && (query.space === undefined || each.space === query.space),
      )
      const { data, nextCursor } = pageOf(all, page)
      return { data: await withStatuses(data, deps), nextCursor }
    }),
  )

  app.get(`${path}/:id`, { schema: schemas.get }, ({ params }, reply) =>
    respond(requireComputation(deps.catalog, kind, params.id), reply, deps),
  )
}

function addCreateRoute(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  const { catalog, clock, queue, wake } = deps
  const options = { schema: recordSchemas(kind).create, attachValidation: true }
  app.post(kind.path, options, (request, reply) =>
    queue.run(async () => {
      const now = clock.wall()
      const { current } = catalog
      const record = newComputation(request, kind, { current, now })
      const location = `${app.prefix}${kind.path}/${record.id}`
      const headers = { location, etag: entityTag(record.version) }
      const response = { status: 201, headers, body: await withStatus(record, deps) } as const
      const entry = recordEntry(request, now, [null, record], presentIn(deps))
      await catalog.putComputation(record, withResponse(entry, response, request))
      wake()
      return respondWith(response, reply)
    }),
  )
}

function addUpdateRoute(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  const { catalog, clock, queue, wake } = deps
  const options = { schema: recordSchemas(kind).change, attachValidation: true }
  app.patch(`${kind.path}/:id`, options, (request, reply) =>
    queue.run(async () => {
      const before = requireComputation(catalog, kind, request.params.id)
      await requireNotBeingDeleted(before, deps)
      const changed = await changeRecord<Computation>({
        read: () => requireComputation(catalog, kind, before.id),
        change: (record) =>
          changedComputation(request, kind, { before: record, current: catalog.current }),
        put: (next, previous) => {
          const entry = recordEntry(request, next.updatedAt, [previous, next], presentIn(deps))
          return catalog.putComputation(next, entry)
        },
        now: clock.wall(),
        ifMatch: request.headers['if-match'],
      })
      wake()
      return respond(changed, reply, deps)
    }),
  )
}

function addDeleteRoute(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  const { catalog, clock, audit, computations, queue, wake } = deps
  app.delete(`${kind.path}/:id`, { schema: recordSchemas(kind).remove }, (request, reply) =>
    queue.run(async () => {
      const record = requireComputation(catalog, kind, request.params.id)
      requireMatch(request.headers['if-match'], record.version)
      requireUnused(record, catalog.current)
      const entry = recordEntry(request, clock.wall(), [record, null], presentIn(deps))
      if (request.query.announce !== 'true') {
        await catalog.removeComputation(record.id, entry)
        wake()
        return reply.code(204).send()
      }
      await requireNotBeingDeleted(record, deps)
      // The sync removes the record later, without a request.
      await audit.append(entry)
      const sync = await computations.requestSync(record.id, 'deleted')
      wake()
      return reply.code(202).send(presentSync(sync))
    }),
  )
}

/** @throws {Problem} `invalid_state` while a sync is deleting the record */
async function requireNotBeingDeleted(record: Computation, deps: ComputationDeps): Promise<void> {
  const [status] = await deps.computations.statusesOf([record])
  if (status?.sync?.reason !== 'deleted') return
  throw new Problem('invalid_state', { detail: 'The record is being deleted.' })
}

function presentIn({ catalog }: ComputationDeps): (record: Computation) => object {
  return (record) => presentComputation(record, catalog.current)
}

async function respond(
  record: Computation,
  reply: FastifyReply,
  deps: ComputationDeps,
): Promise<object> {
  reply.header('etag', entityTag(record.version))
  return withStatus(record, deps)
}

async function withStatus(record: Computation, deps: ComputationDeps): Promise<object> {
  const [shown] = await withStatuses([record], deps)
  return shown!
}

async function withStatuses(records: readonly Computation[], deps: ComputationDeps) {
  const statuses = await deps.computations.statusesOf(records)
  return records.map((record, index) => ({
    ...presentIn(deps)(record),
    ...presentStatus(statuses[index]!),
  }))
}

/** The maximum number of audiences in an error. */
const MAX_SHOWN = 10

/** Checks that no condition refers to the record. @throws {Problem} `invalid_state` */
function requireUnused(record: Computation, { computations }: CatalogSnapshot): void {
  const users = [...computations.values()].filter((each) =>
    dependenciesOf(each, computations).includes(record),
  )
  if (users.length === 0) return
  const shown = users.slice(0, MAX_SHOWN).map(({ id, name }) => `${id} (${name})`)
  const more = users.length > MAX_SHOWN ? ` and ${users.length - MAX_SHOWN} more` : ''
  const detail = `The record is used in the conditions of ${shown.join(', ')}${more}. Change or delete these audiences first.`
  throw new Problem('invalid_state', { detail })
}
