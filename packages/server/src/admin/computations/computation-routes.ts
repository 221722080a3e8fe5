import type { Computation } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import { entityTag, changeRecord, requireMatch } from '../api/catalog-records.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List, pageOf } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import type { ComputationKind } from './computation-kind.ts'
import { presentStatus, readStatuses } from './computation-status.ts'
import { presentComputation } from './computation-fields.ts'
import { requireUnused } from './require-unused.ts'
import { changedComputation, newComputation } from './requested-computation.ts'
import { requireComputation } from './require-computation.ts'
import { presentSync } from './sync-schema.ts'
import type { Turns } from './turns.ts'

/** Creates, reads, changes and removes audiences or computed traits. Changes run one after the other, in `turns`. */
export function addComputationRoutes<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
  turns: Turns,
): void {
  addReading(app, deps, kind)
  addCreating(app, deps, kind, turns)
  addChanging(app, deps, kind, turns)
  addRemoving(app, deps, kind, turns)
}

function addReading<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
): void {
  const { path, schemas } = kind
  const list = new List<object>(path.slice(1), (shown) => shown)
  app.get(path, { schema: schemas.list }, ({ query }) =>
    list.page(query, async (page) => {
      const all = [...deps.catalog.current.computations.values()].filter(
        (each): each is T =>
          each.kind === kind.kind && (query.space === undefined || each.space === query.space),
      )
      const { data, nextCursor } = pageOf(all, page)
      const statuses = await readStatuses(data, deps)
      const shown = data.map((record) => ({
        ...presentIn(deps)(record),
        ...presentStatus(statuses.get(record.id)!),
      }))
      return { data: shown, nextCursor }
    }),
  )

  app.get(`${path}/:id`, { schema: schemas.get }, ({ params }, reply) =>
    respond(requireComputation(deps.catalog, kind, params.id), reply, deps),
  )
}

function addCreating<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
  turns: Turns,
): void {
  const { catalog, clock, wake } = deps
  const options = { schema: kind.schemas.create, attachValidation: true }
  app.post(kind.path, options, (request, reply) =>
    turns.run(async () => {
      const now = clock.wall()
      const { current } = catalog
      const record = newComputation(request, kind, { current, now })
      const location = `${app.prefix}${kind.path}/${record.id}`
      const headers = { location, etag: entityTag(record.version) }
      const made = { status: 201, headers, body: await withStatus(record, deps) } as const
      const entry = recordEntry(request, now, [null, record], presentIn(deps))
      await catalog.putComputation(record, withResponse(entry, made, request))
      wake()
      return respondWith(made, reply)
    }),
  )
}

function addChanging<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
  turns: Turns,
): void {
  const { catalog, clock, wake } = deps
  const options = { schema: kind.schemas.change, attachValidation: true }
  app.patch(`${kind.path}/:id`, options, (request, reply) =>
    turns.run(async () => {
      const before = requireComputation(catalog, kind, request.params.id)
      await requireKept(before, deps)
      const changed = await changeRecord<T>({
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

function addRemoving<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
  turns: Turns,
): void {
  const { catalog, clock, audit, computations, wake } = deps
  app.delete(`${kind.path}/:id`, { schema: kind.schemas.remove }, (request, reply) =>
    turns.run(async () => {
      const record = requireComputation(catalog, kind, request.params.id)
      requireMatch(request.headers['if-match'], record.version)
      requireUnused(record, catalog.current)
      const entry = recordEntry(request, clock.wall(), [record, null], presentIn(deps))
      if (request.query.announce !== 'true') {
        await catalog.removeComputation(record.id, entry)
        wake()
        return reply.code(204).send()
      }
      await requireKept(record, deps)
      // Before the change: the sync removes the record later, and nobody is asked again then.
      await audit.append(entry)
      const sync = await computations.requestSync(record.id, 'deleted')
      wake()
      return reply.code(202).send(presentSync(sync))
    }),
  )
}

/** @throws {Problem} `wrong_state` while its removal is announced */
async function requireKept(record: Computation, deps: AdminDeps): Promise<void> {
  const [status] = await deps.computations.statusesOf([record])
  if (status?.sync?.reason !== 'deleted') return
  const detail = 'It is being removed: its users are announced first.'
  throw new Problem('wrong_state', { detail })
}

/** The function that shows a record in an audit entry. */
function presentIn({ catalog }: AdminDeps): (record: Computation) => object {
  return (record) => presentComputation(record, catalog.current)
}

async function respond(record: Computation, reply: FastifyReply, deps: AdminDeps): Promise<object> {
  reply.header('etag', entityTag(record.version))
  return withStatus(record, deps)
}

async function withStatus(record: Computation, deps: AdminDeps): Promise<object> {
  const statuses = await readStatuses([record], deps)
  return { ...presentIn(deps)(record), ...presentStatus(statuses.get(record.id)!) }
}
