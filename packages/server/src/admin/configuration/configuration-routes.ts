import type { Destination, Source } from '@hookline/protocol'
import type { AuditEntry } from '../../backend/audit.ts'
import { CatalogConflict, type CatalogSnapshot } from '../../backend/catalog.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { configurationSchemas } from './configuration-schema.ts'
import { auditEntry, auditedRecords } from '../audit/audit-entry.ts'
import { exportConfiguration } from './configuration-document.ts'
import { presentDestination } from '../destinations/destination-schema.ts'
import { auditedSource } from '../sources/source-schema.ts'
import { type ImportPlan, type Planned, planImport } from './import-plan.ts'
import { Problem } from '../problems/problem.ts'

/** `/export` and `/import`: the configuration as one document. */
export function addConfigurationRoutes(app: AdminApp, deps: AdminDeps): void {
  const { catalog, keyUses, clock, allowedPorts } = deps
  app.get('/export', { schema: configurationSchemas.export }, async ({ query }) =>
    exportConfiguration(catalog.current, query.withSecrets === 'true'),
  )

  app.put('/import', { schema: configurationSchemas.import }, async (request) => {
    const now = clock.now()
    const plan = planImport(request.body, catalog.current, { now, allowedPorts })
    const dryRun = request.query.dryRun === 'true'
    const diff = { dryRun, ...diffOf(plan, catalog.current) }
    if (dryRun) return diff
    const change = { targetId: null, ...auditedPlan(plan, keyUses) }
    await applyPlan(plan, catalog, auditEntry(request, now, change))
    return diff
  })
}

/** Writes all records or none. */
async function applyPlan(
  plan: ImportPlan,
  catalog: AdminDeps['catalog'],
  entry: AuditEntry,
): Promise<void> {
  const sources = plan.sources.filter(isChanged).map(({ next }) => next)
  const destinations = plan.destinations.filter(isChanged).map(({ next }) => next)
  try {
    await catalog.putAll({ sources, destinations }, entry)
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    throw new Problem('conflict', { cause: error, headers: { 'retry-after': '1' } })
  }
}

function isChanged({ fields }: Planned<Source | Destination>): boolean {
  return fields.length > 0
}

/** The records that the import changes, before and after it. */
function auditedPlan(
  { sources, destinations }: ImportPlan,
  keyUses: AdminDeps['keyUses'],
): Pick<AuditEntry, 'before' | 'after'> {
  const all = [...sources, ...destinations].filter(isChanged)
  const present = (record: Source | Destination): object =>
    'settings' in record ? presentDestination(record) : auditedSource(record, keyUses)
  return {
    before: auditedRecords(
      all.flatMap(({ before }) => before ?? []),
      present,
    ),
    after: auditedRecords(
      all.map(({ next }) => next),
      present,
    ),
  }
}

function diffOf({ sources, destinations }: ImportPlan, current: CatalogSnapshot): object {
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
