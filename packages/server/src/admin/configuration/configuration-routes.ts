import type { Destination, Source } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import { CatalogConflict } from '../../backend/catalog.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { configurationSchemas } from './configuration-schema.ts'
import { exportConfiguration } from './configuration-document.ts'
import { type ImportPlan, type Planned, planImport } from './import-plan.ts'
import { Problem } from '../problems/problem.ts'

/** `/export` and `/import`: the configuration as one document. */
export function addConfigurationRoutes(app: AdminApp, deps: AdminDeps): void {
  const { catalog, clock, allowedPorts } = deps
  app.get('/export', { schema: configurationSchemas.export }, async ({ query }) =>
    exportConfiguration(catalog.current, query.withSecrets === 'true'),
  )

  app.put('/import', { schema: configurationSchemas.import }, async ({ query, body }) => {
    const plan = planImport(body, catalog.current, { now: clock.now(), allowedPorts })
    const dryRun = query.dryRun === 'true'
    const diff = { dryRun, ...diffOf(plan, catalog) }
    if (!dryRun) await applyPlan(plan, catalog)
    return diff
  })
}

/** Writes record by record. After a crash, sending the document again completes the import. */
async function applyPlan({ sources, destinations }: ImportPlan, catalog: Catalog): Promise<void> {
  try {
    for (const { next, fields } of sources) if (fields.length > 0) await catalog.putSource(next)
    for (const { next, fields } of destinations) {
      if (fields.length > 0) await catalog.putDestination(next)
    }
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    throw new Problem('conflict', { cause: error, headers: { 'retry-after': '1' } })
  }
}

function diffOf({ sources, destinations }: ImportPlan, { current }: Catalog): object {
  const all: readonly Planned<Source | Destination>[] = [...sources, ...destinations]
  const inDocument = new Set(all.map(({ next }) => next.id))
  const existing = [...current.sources.keys(), ...current.destinations.keys()]
  const idsOf = (planned: readonly Planned<Source | Destination>[]): string[] =>
    planned.map(({ next }) => next.id)
  return {
    created: idsOf(all.filter(({ before }) => before === undefined)),
    changed: all
      .filter(({ before, fields }) => before !== undefined && fields.length > 0)
      .map(({ next, fields }) => ({ id: next.id, fields })),
    unchanged: idsOf(all.filter(({ fields }) => fields.length === 0)),
    notInDocument: existing.filter((id) => !inDocument.has(id)),
  }
}
