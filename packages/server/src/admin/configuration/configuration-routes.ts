import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import { CatalogConflict, type CatalogSnapshot } from '../../backend/catalog.ts'
import type { Fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'
import { auditedRecords, auditEntry } from '../audit.ts'
import { type ComputationDeps, presentComputation } from '../computations/computation.ts'
import { presentDestination } from '../destinations/destinations.ts'
import { hostWarnings, type UrlChecks, WarningsResponse } from '../destinations/webhook-urls.ts'
import { Problem } from '../problems/problem.ts'
import { auditedSource, type SourceDeps } from '../sources.ts'
import { ConfigurationBody, exportConfiguration } from './configuration-document.ts'
import { type CatalogRecord, type ImportPlan, type Planned, planImport } from './import-plan.ts'

const FLAG = ['true', 'false'] as const

const ids = Type.Array(Type.String())
const DiffResponse = Type.Object({
  dryRun: Type.Boolean(),
  created: ids,
  changed: Type.Array(Type.Object({ id: Type.String(), fields: ids })),
  unchanged: ids,
  notInDocument: Type.Array(Type.String(), {
    description:
      'Sources, destinations, audiences and computed traits of this service that are not in the document. They stay.',
  }),
  warnings: Type.Optional(WarningsResponse),
})

const { admin } = Schema.operationsTagged('Configuration')

const schemas = {
  export: {
    ...admin(
      'exportConfiguration',
      'Exports sources, destinations, audiences and computed traits as one document',
    ),
    description:
      'The same configuration always gives the same text, so that it can be kept under version control. The lists of manual audiences are left out. By default, secrets are shown as {"set": true} and write keys are left out.',
    querystring: Type.Object(
      {
        withSecrets: Type.Optional(
          Schema.oneOf(
            FLAG,
            'true: includes shared secrets, header values and write keys in plain text.',
          ),
        ),
      },
      Schema.strict,
    ),
    response: Schema.ok('The document.', ConfigurationBody),
  },
  import: {
    ...admin(
      'importConfiguration',
      'Imports sources, destinations, audiences and computed traits from a document',
    ),
    description:
      'Records with a new id are created with that id; existing records are changed; no record is removed. All records are written, or none. A secret that the document shows as {"set": true} stays as it is. Sending the same document again changes nothing.',
    querystring: Type.Object(
      {
        dryRun: Type.Optional(Schema.oneOf(FLAG, 'true: only reports what would change.')),
      },
      Schema.strict,
    ),
    body: ConfigurationBody,
    response: Schema.ok('What changed, or would change.', DiffResponse),
  },
}

interface ConfigurationDeps
  extends SourceDeps, Pick<ComputationDeps, 'wake' | 'turns'>, Pick<UrlChecks, 'hostProblem'> {
  /** Reserved ports that webhook URLs may use all the same. */
  readonly allowedPorts: ReadonlySet<number>
}

/** An export of 8,000 sources and 250 audiences has 1.3 MB. Other bodies of the management API have 1 MB at most. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024

/** `/export` and `/import`: the configuration as one document. */
export function addConfigurationRoutes(app: AdminApp, deps: ConfigurationDeps): void {
  const { catalog, clock, allowedPorts, turns } = deps
  app.get('/export', { schema: schemas.export }, async ({ query }) =>
    exportConfiguration(catalog.current, query.withSecrets === 'true'),
  )

  const imported = { schema: schemas.import, bodyLimit: MAX_IMPORT_BYTES }
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
  catalog: ConfigurationDeps['catalog'],
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
  deps: ConfigurationDeps,
): Promise<{ warnings?: readonly Fault[] }> {
  const changed = destinations.map((each) => (isChanged(each) ? each.next : undefined))
  const warnings = await hostWarnings(changed, deps, '/destinations')
  return warnings.length > 0 ? { warnings } : {}
}

function isChanged({ fields }: Planned<CatalogRecord>): boolean {
  return fields.length > 0
}

function recordsOf(plan: ImportPlan): readonly Planned<CatalogRecord>[] {
  return [...plan.sources, ...plan.destinations, ...plan.computations]
}

/** The records that the import changes, before and after it. */
function auditedPlan(
  plan: ImportPlan,
  { keyUses, catalog }: ConfigurationDeps,
): Pick<AuditEntry, 'before' | 'after'> {
  const changed = recordsOf(plan).filter(isChanged)
  const present = (record: CatalogRecord): object => {
    if ('settings' in record) return presentDestination(record)
    return 'kind' in record
      ? presentComputation(record, catalog.current)
      : auditedSource(record, keyUses)
  }
  const before = changed.flatMap((each) => each.before ?? [])
  const after = changed.map(({ next }) => next)
  return { before: auditedRecords(before, present), after: auditedRecords(after, present) }
}

function diffOf(plan: ImportPlan, current: CatalogSnapshot): object {
  const all = recordsOf(plan)
  const inDocument = new Set(all.map(({ next }) => next.id))
  const existing = [current.sources, current.destinations, current.computations].flatMap((each) => [
    ...each.keys(),
  ])
  const idsOf = (planned: readonly Planned<CatalogRecord>[]): string[] =>
    planned.map(({ next }) => next.id)
  return {
    created: idsOf(all.filter(({ before }) => before === undefined)),
    changed: all
      .filter((each) => each.before !== undefined && isChanged(each))
      .map(({ next, fields }) => ({ id: next.id, fields })),
    unchanged: idsOf(all.filter((each) => !isChanged(each))),
    notInDocument: existing.filter((id) => !inDocument.has(id)),
  }
}
