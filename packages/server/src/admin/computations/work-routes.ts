import { type Computation, formatTimestamp } from '@hookline/protocol'
import type { Sync } from '../../backend/syncs.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { List } from '../api/list.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { Problem } from '../problems/problem.ts'
import { changesSince, presentChangeCounts } from './change-counts.ts'
import type { ComputationKind } from './computation-kind.ts'
import { presentExplained } from './explained-value.ts'
import { presentPreview } from './preview-schema.ts'
import { requireComputation } from './require-computation.ts'
import { previewedDefinition } from './requested-computation.ts'
import { presentSync } from './sync-schema.ts'

/** Syncs, previews, explanations and changes over time of audiences or computed traits. */
export function addWorkRoutes<T extends Computation>(
  app: AdminApp,
  deps: AdminDeps,
  kind: ComputationKind<T>,
): void {
  addSyncs(app, deps, kind)
  addPreview(app, deps, kind)
  addInsight(app, deps, kind)
}

function addSyncs<T extends Computation>(
  app: AdminApp,
  { catalog, audit, clock, computations, syncs, wake }: AdminDeps,
  kind: ComputationKind<T>,
): void {
  const { path, schemas } = kind
  const list = new List<Sync>('syncs', presentSync)

  app.post(`${path}/:id/sync`, { schema: schemas.sync }, async (request, reply) => {
    const { id, enabled } = requireComputation(catalog, kind, request.params.id)
    if (!enabled) {
      const detail = 'It is disabled, so nothing is computed. Enable it: then a sync starts.'
      throw new Problem('wrong_state', { detail })
    }
    const change = { targetId: id, before: null, after: { sync: 'requested' } }
    // Before the change: syncs are no part of the catalog, and one that runs already stays as it is.
    await audit.append(auditEntry(request, clock.wall(), change))
    const sync = await computations.requestSync(id, 'requested')
    wake()
    reply.code(202)
    return presentSync(sync)
  })

  app.get(`${path}/:id/syncs`, { schema: schemas.syncs }, async ({ params, query }) => {
    const { id } = requireComputation(catalog, kind, params.id)
    return list.page(query, (page) => syncs.list(id, page))
  })
}

function addPreview(
  app: AdminApp,
  { catalog, computations }: AdminDeps,
  kind: ComputationKind,
): void {
  const options = {
    schema: kind.schemas.preview,
    attachValidation: true,
    config: { showsUsers: true as const },
  }
  app.post(`${kind.path}/preview`, options, async (request) => {
    const { space, definition } = previewedDefinition(request, kind, catalog.current)
    const previewed = { space, ...definition } as Parameters<typeof computations.preview>[0]
    return presentPreview(await computations.preview(previewed))
  })
}

function addInsight<T extends Computation>(
  app: AdminApp,
  { catalog, clock, computations, memberships }: AdminDeps,
  kind: ComputationKind<T>,
): void {
  const { path, schemas } = kind
  app.get(`${path}/:id/explain`, { schema: schemas.explain }, async ({ params, query }) => {
    const record = requireComputation(catalog, kind, params.id)
    const explained = await computations.explain(record, query.userId)
    if (explained === undefined) {
      const detail = `There is no profile of this user in the space ${record.space}.`
      throw new Problem('not_found', { detail })
    }
    return { userId: query.userId, ...presentExplained(explained) }
  })

  app.get(`${path}/:id/changes`, { schema: schemas.changes }, async ({ params, query }) => {
    const { id } = requireComputation(catalog, kind, params.id)
    const from = changesSince(query.from, clock.wall())
    const counts = await memberships.changes(id, from)
    return { from: formatTimestamp(from), data: counts.map(presentChangeCounts) }
  })
}
