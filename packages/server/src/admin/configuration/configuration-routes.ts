import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import { CatalogConflictError, type CatalogSnapshot } from '../../backend/catalog.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { CatalogRecord } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import { auditedRecords, auditEntry } from '../audit.ts'
import { type ComputationDeps, presentComputation } from '../computations/computation.ts'
import { presentDestination } from '../destinations/destinations.ts'
import type { SettingsRules } from '../destinations/settings.ts'
import {
  destinationWarnings,
  type WarningDeps,
  WarningsResponse,
} from '../destinations/warnings.ts'
import { Problem } from '../problems/problem.ts'
import { auditedSource, type SourceDeps } from '../sources.ts'
import { ConfigurationBody, exportConfiguration } from './configuration-document.ts'
import { type ImportPlan, nextOf, type PlannedRecord, planImport } from './import-plan.ts'

const idList = Type.Array(Type.String())
const DiffResponse = Type.Object({
  dryRun: Type.Boolean(),
  created: idList,
  changed: Type.Array(Type.Object({ id: Type.String(), fields: idList })),
  unchanged: idList,
  notInDocument: Type.Array(Type.String(), {
    description: 'Records in this service that are not in the document. They are kept.',
  }),
  warnings: Type.Optional(WarningsResponse),
})

const { admin } = Schema.operationsTagged('Configuration')

const schemas = {
  export: {
    ...admin('exportConfiguration', 'Exports the configuration as one document'),
    description:
      'Sources, destinations, audiences and computed traits, without the lists of manual audiences. The output is deterministic, for version control. By default, secrets appear as {"set": true}, and write keys are omitted.',
    querystring: Schema.strictObject({
      withSecrets: Schema.flag(
        'true: includes all secrets, private keys, passwords, header values, salts and write keys.',
      ),
    }),
    response: Schema.ok('The document.', ConfigurationBody),
  },
  import: {
    ...admin('importConfiguration', 'Imports the configuration from a document'),
    description:
      'Creates records whose ids are new, changes existing ones, and deletes none. The import is atomic and idempotent. A secret given as {"set": true} is not changed.',
    querystring: Schema.strictObject({
      dryRun: Schema.flag('true: only reports the changes.'),
    }),
    body: ConfigurationBody,
    response: Schema.ok('What changed, or would change.', DiffResponse),
  },
}

interface ConfigurationDeps
  extends SourceDeps, Pick<ComputationDeps, 'wake' | 'queue'>, WarningDeps, SettingsRules {}

/** The maximum size of an import. An export of 8,000 sources and 250 audiences is 1.3 MB. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024

export function addConfigurationRoutes(app: AdminApp, deps: ConfigurationDeps): void {
  const { catalog, clock, queue } = deps
  app.get('/export', { schema: schemas.export }, async ({ query }) =>
    exportConfiguration(catalog.current, query.withSecrets === 'true'),
  )

  const options = { schema: schemas.import, bodyLimit: MAX_IMPORT_BYTES }
  app.put('/import', options, async (request) => {
    const dryRun = request.query.dryRun === 'true'
    const { diff, destinations } = await queue.run(async () => {
      const now = clock.wall()
      const plan = planImport(request.body, catalog.current, now, deps)
      const planned = { diff: diffOf(plan, catalog.current), destinations: plan.destinations }
      if (dryRun) return planned
      const change = { targetId: null, ...auditedPlan(plan, deps) }
      await applyPlan(plan, catalog, auditEntry(request, now, change))
      deps.wake()
      return planned
    })
    // Outside the queue, so that other changes do not wait for the DNS lookups.
    const changed = destinations.map((each) => (isChanged(each) ? each.next : undefined))
    const warnings = await destinationWarnings(changed, deps, '/destinations')
    return { dryRun, ...diff, ...(warnings.length > 0 && { warnings }) }
  })
}

/** Writes all records or none. */
async function applyPlan(
  { sources, destinations, computations }: ImportPlan,
  catalog: ConfigurationDeps['catalog'],
  entry: AuditEntry,
): Promise<void> {
  const records = {
    sources: nextOf(sources.filter(isChanged)),
    destinations: nextOf(destinations.filter(isChanged)),
    computations: nextOf(computations.filter(isChanged)),
  }
  try {
    await catalog.putAll(records, entry)
  } catch (error) {
    if (!(error instanceof CatalogConflictError)) throw error
    throw new Problem('conflict', { cause: error, headers: { 'retry-after': '1' } })
  }
}

function isChanged({ fields }: PlannedRecord<CatalogRecord>): boolean {
  return fields.length > 0
}

function recordsOf(plan: ImportPlan): readonly PlannedRecord<CatalogRecord>[] {
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
  const after = nextOf(changed)
  return { before: auditedRecords(before, present), after: auditedRecords(after, present) }
}

function diffOf(plan: ImportPlan, current: CatalogSnapshot) {
  const all = recordsOf(plan)
  const ids = new Set(all.map(({ next }) => next.id))
  const existing = [current.sources, current.destinations, current.computations]
  const idsOf = (planned: typeof all) => planned.map(({ next }) => next.id)
  return {
    created: idsOf(all.filter(({ before }) => before === undefined)),
    changed: all
      .filter((each) => each.before !== undefined && isChanged(each))
      .map(({ next, fields }) => ({ id: next.id, fields })),
    unchanged: idsOf(all.filter((each) => !isChanged(each))),
    notInDocument: existing
      .flatMap((each) => [...each.keys()])
      .filter((id) => !ids.has(id) && id !== BUILT_IN_SOURCE_ID),
  }
}
