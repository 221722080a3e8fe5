import { formatTimestamp, type Json, parseTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { ExplainedValue } from '../../audiences/computations.ts'
import type { PreviewResult } from '../../audiences/preview.ts'
import type { Explanation } from '../../audiences/conditions/explain.ts'
import type { Sync } from '../../backend/syncs.ts'
import { fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { auditEntry } from '../audit.ts'
import { Problem } from '../problems/problem.ts'
import {
  type ComputationDeps,
  type ComputationKind,
  presentSync,
  previewedDefinition,
  reachesBackTo,
  requireComputation,
  type SchemaTexts,
  SyncResponse,
} from './computation.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DEFAULT_DAYS = 7

/** The counts of so many days are shown at most. */
const CHANGES_DAYS = 90

/** The changes of an hour as the API shows them. */
const ChangeCountsResponse = Type.Object({
  at: Schema.timeOf('When the hour begins.'),
  entered: Schema.integer('Profiles that got a value, or another one.'),
  left: Schema.integer('Profiles that lost their value.'),
})

const changesAt = Schema.nullable(
  Schema.timeOf('When it can next change by time alone. null: only an event can change it.'),
)

const PartResponse = Type.Object({
  pointer: Schema.text('Its place in the condition, as a JSON Pointer.'),
  kind: Type.Enum(['and', 'or', 'not', 'clause']),
  holds: Type.Boolean(),
  changesAt,
  clause: Type.Optional({ ...Schema.anyObject, description: 'The clause, as in the condition.' }),
  saw: Type.Optional({
    ...Schema.anyObject,
    description:
      'What the clause compared: {"value": …}, null for a missing one; {"count": 3, "orMore": false}, where orMore says that older events are no longer known; or {"member": true}.',
  }),
})

/** Why a user has a value, as the API shows it. */
const ExplainedResponse = Type.Object({
  userId: Type.String(),
  value: Type.Unsafe<Json>({
    description: 'The value now: true for a member of an audience; null for none.',
  }),
  since: Schema.nullable(Schema.timeOf('null if it has none, or got it a moment ago.')),
  changesAt,
  condition: Type.Optional(
    Type.Array(PartResponse, {
      description: 'For an audience: each part of its condition, the whole first.',
    }),
  ),
  events: Type.Optional(Schema.integer('For a computed trait: of how many events it is made.')),
})

const previewedSpace = Schema.space(
  `The space whose profiles are looked at; ${Schema.DEFAULT_SPACE_TEXT}`,
)

/** A preview as the API shows it. */
const PreviewResponse = Type.Object({
  size: Schema.integer('How many profiles would have a value.'),
  isExact: Schema.boolean(
    'false: there are more than 100,000 profiles, and size is estimated from some of them; or profiles do not have all stored events yet: try again.',
  ),
  sample: Type.Array(
    Type.Object({
      userId: Schema.nullable(Schema.text('null: no event has named a userId yet.')),
      value: Type.Unsafe({ description: 'true for a member of an audience.' }),
    }),
  ),
  reachesBackTo,
})

const ExplainQuery = Type.Object(
  { userId: Type.String({ minLength: 1, maxLength: 1024, description: 'The id of a user.' }) },
  Schema.strict,
)

const ChangesQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 40,
        description: `At this time or later, in ISO 8601; by default the last 7 days. At most ${CHANGES_DAYS} days ago.`,
      }),
    ),
  },
  Schema.strict,
)

function workSchemas({ tag, operation: name, one, previewed }: SchemaTexts) {
  const { viewer, editor } = Schema.operationsTagged(tag)
  const params = Schema.IdParams
  return {
    sync: {
      ...editor(`sync${name}`, `Starts a full sync of ${one}`),
      description:
        'Evaluates every profile, and sends what has changed. Nobody needs to do this: each event is evaluated within seconds, and a sync runs once a day.',
      params,
      body: Schema.EmptyBody,
      response: Schema.responses(202, 'The sync.', Schema.ref(SyncResponse)),
    },
    syncs: {
      ...viewer(`list${name}Syncs`, `Lists the syncs of ${one}, newest first`),
      description: 'Those that wait or run, and the last one that ended.',
      params,
      querystring: Schema.ListQuery,
      response: Schema.pages('A page of syncs.', Schema.ref(SyncResponse)),
    },
    preview: {
      ...viewer(`preview${name}`, 'Shows for how many users there would be a value'),
      isLongRead: true,
      showsUsers: true,
      description: 'Changes nothing, and sends nothing.',
      body: Type.Object({ space: Type.Optional(previewedSpace), ...previewed }, Schema.strict),
      response: Schema.ok('The size, and at most ten users.', PreviewResponse),
    },
    explain: {
      ...viewer(`explain${name}`, 'Shows why a user has the value that it has'),
      params,
      querystring: ExplainQuery,
      response: Schema.ok('The value, and where it comes from.', ExplainedResponse),
    },
    changes: {
      ...viewer(`get${name}Changes`, 'Shows how many profiles entered and left in each hour'),
      params,
      querystring: ChangesQuery,
      response: Schema.ok(
        'The hours in which something changed, oldest first.',
        Type.Object({ from: Schema.time, data: Type.Array(ChangeCountsResponse) }),
      ),
    },
  }
}

/** Syncs, previews, explanations and changes over time of audiences or computed traits. */
export function addWorkRoutes(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  addSyncs(app, deps, kind)
  addPreview(app, deps, kind)
  addInsight(app, deps, kind)
}

function addSyncs(
  app: AdminApp,
  { catalog, audit, clock, computations, syncs, wake }: ComputationDeps,
  kind: ComputationKind,
): void {
  const { path, texts } = kind
  const schemas = workSchemas(texts)
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
  { catalog, computations }: ComputationDeps,
  kind: ComputationKind,
): void {
  const options = { schema: workSchemas(kind.texts).preview, attachValidation: true }
  app.post(`${kind.path}/preview`, options, async (request) => {
    const { space, definition } = previewedDefinition(request, kind, catalog.current)
    const previewed = { space, ...definition } as Parameters<typeof computations.preview>[0]
    return presentPreview(await computations.preview(previewed))
  })
}

function addInsight(
  app: AdminApp,
  { catalog, clock, computations, memberships }: ComputationDeps,
  kind: ComputationKind,
): void {
  const { path, texts } = kind
  const schemas = workSchemas(texts)
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
    const data = counts.map(({ start, ...each }) => ({ at: formatTimestamp(start), ...each }))
    return { from: formatTimestamp(from), data }
  })
}

/** Since when changes are shown. @throws {Problem} `invalid_query` */
function changesSince(from: string | undefined, now: number): number {
  if (from === undefined) return now - DEFAULT_DAYS * DAY_MS
  const since = parseTimestamp(from)
  if (since !== undefined && since >= now - CHANGES_DAYS * DAY_MS) return since
  const isTime = since !== undefined
  const code = isTime ? 'out_of_range' : 'wrong_form'
  const message = isTime ? `from is more than ${CHANGES_DAYS} days ago.` : 'from is not a time.'
  const hint = `A time of the last ${CHANGES_DAYS} days in ISO 8601, like 2026-01-31T12:00:00Z.`
  throw new Problem('invalid_query', { faults: [fault('/from', code, message, hint)] })
}

/** The value and where it comes from, as the API shows it. */
function presentExplained(explained: ExplainedValue): object {
  const { value = null, since, condition, events } = explained
  return {
    value,
    since: Schema.timeOrNull(since),
    changesAt: Schema.timeOrNull(explained.changesAt),
    ...(condition && { condition: partsOf(condition) }),
    ...(events !== undefined && { events }),
  }
}

/** The parts of the tree as a list: each before those in it. */
function partsOf(part: Explanation, pointer = ''): readonly object[] {
  const { holds, changesAt: at } = part
  const shown = { pointer, holds, changesAt: at }
  if ('clause' in part) return [{ ...shown, kind: 'clause', clause: part.clause, saw: part.saw }]
  if ('not' in part) return [{ ...shown, kind: 'not' }, ...partsOf(part.not, `${pointer}/not`)]
  const [kind, parts] = 'and' in part ? ['and', part.and] : ['or', part.or]
  const inside = parts.flatMap((each, index) => partsOf(each, `${pointer}/${kind}/${index}`))
  return [{ ...shown, kind }, ...inside]
}

function presentPreview({ reachesBackTo: from, ...rest }: PreviewResult): object {
  return { ...rest, reachesBackTo: Schema.timeOrNull(from) }
}
