import type { Computation, Destination, Source } from '@hookline/protocol'
import type { AuditEntry } from '../../backend/audit.ts'
import { CatalogConflict, type CatalogSnapshot } from '../../backend/catalog.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { configurationSchemas } from './configuration-schema.ts'
import { auditEntry, auditedRecords } from '../audit/audit-entry.ts'
import { exportConfiguration } from './configuration-document.ts'
import { hostWarnings } from '../destinations/url-warnings.ts'
import type { Fault } from '../../util/fault.ts'
import { presentDestination } from '../destinations/destination-schema.ts'
import { auditedSource } from '../sources/source-schema.ts'
import { presentComputation } from '../computations/computation-fields.ts'
import type { Turns } from '../computations/turns.ts'
import { type ImportPlan, planImport } from './import-plan.ts'
import type { Planned } from './planned.ts'
import { Problem } from '../problems/problem.ts'

/** An export of 8,000 sources and 250 audiences has 1.3 MB. Other bodies of the management API have 1 MB at most. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024

/** `/export` and `/import`: the configuration as one document. */
export function addConfigurationRoutes(app: AdminApp, deps: AdminDeps, turns: Turns): void {
  const { catalog, clock, allowedPorts } = deps
  app.get('/export', { schema: configurationSchemas.export }, async ({ query }) =>
    exportConfiguration(catalog.current, query.withSecrets === 'true'),
  )

  const imported = { schema: configurationSchemas.import, bodyLimit: MAX_IMPORT_BYTES }
  app.put('/import', imported, async (request) => {
    const done = await turns.run(async () => {
      const now = clock.wall()
      const plan = planImport(request.body, catalog.current, { now, allowedPorts })
      const dryRun = request.query.dryRun === 'true'
      const diff = { dryRun, ...diffOf(plan, catalog.current) }
      if (dryRun) return { plan, diff }
      const change = { targetId: null, ...auditedPlan(plan, deps) }
      await applyPlan(plan, catalog, auditEntry(request, now, change))
      deps.wake()
      return { plan, diff }
    })
    // Names are looked up when other changes no longer wait for this one.
    return { ...done.diff, ...(await importWarnings(done.plan, deps)) }
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
  const computations = plan.computations.filter(isChanged).map(({ next }) => next)
  try {
    await catalog.putAll({ sources, destinations, computations }, entry)
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    throw new Problem('conflict', { cause: error, headers: { 'retry-after': '1' } })
  }
}

/** What will not work of the destinations that the import creates or changes. */
async function importWarnings(
  { destinations }: ImportPlan,
  deps: AdminDeps,
): Promise<{ warnings?: readonly Fault[] }> {
  const changed = destinations.map((each) => (isChanged(each) ? each.next : undefined))
  const warnings = await hostWarnings(changed, deps, '/destinations')
  return warnings.length > 0 ? { warnings } : {}
}

type CatalogRecord = Source | Destination | Computation

function isChanged({ fields }: Planned<CatalogRecord>): boolean {
  return fields.length > 0
}

/** The records that the import changes, before and after it. */
function auditedPlan(
  { sources, destinations, computations }: ImportPlan,
  { keyUses, catalog }: AdminDeps,
): Pick<AuditEntry, 'before' | 'after'> {
  const all: readonly Planned<CatalogRecord>[] = [...sources, ...destinations, ...computations]
  const changed = all.filter(isChanged)
  const present = (record: CatalogRecord): object => {
    if ('settings' in record) return presentDestination(record)
    return 'kind' in record
      ? presentComputation(record, catalog.current)
      : auditedSource(record, keyUses)
  }
  return {
    before: auditedRecords(
      changed.flatMap(({ before }) => before ?? []),
      present,
    ),
    after: auditedRecords(
      changed.map(({ next }) => next),
      present,
    ),
  }
}

function diffOf(plan: ImportPlan, current: CatalogSnapshot): object {
  const { sources, destinations, computations } = plan
  const all: readonly Planned<CatalogRecord>[] = [...sources, ...destinations, ...computations]
  const inDocument = new Set(all.map(({ next }) => next.id))
  const existing = [current.sources, current.destinations, current.computations].flatMap((each) => [
    ...each.keys(),
  ])
  const idsOf = (planned: readonly Planned<CatalogRecord>[]): string[] =>
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
