import type { Json } from '@hookline/protocol'
import Type from 'typebox'
import type { Sync } from '../../backend/syncs.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { auditEntry } from '../audit.ts'
import { Problem, requireFound } from '../problems/problem.ts'
import {
  type ComputationDeps,
  type ComputationKind,
  presentSync,
  previewedDefinition,
  reachesBackTo,
  requireComputation,
  SyncResponse,
} from './computation.ts'

const changesAt = Schema.nullable(
  Schema.timeOf(
    'When the result can next change without a new event. null: only an event can change it.',
  ),
)

const PartResponse = Type.Object({
  pointer: Schema.text('A JSON Pointer into the condition.'),
  kind: Type.Enum(['and', 'or', 'not', 'clause']),
  holds: Type.Boolean(),
  changesAt,
  clause: Type.Optional({
    ...Schema.anyObject,
    description: 'The clause, as it appears in the condition.',
  }),
  actual: Type.Optional({
    ...Schema.anyObject,
    description:
      'The actual result for the user: {"value": …}, with null for a missing value; {"count": 3, "orMore": false}, with orMore: true if there may be more events, because only the newest are stored; or {"member": true}.',
  }),
})

const ExplainedResponse = Type.Object({
  userId: Type.String(),
  value: Type.Unsafe<Json>({
    description: 'true for a member of an audience; null without a value.',
  }),
  since: Schema.nullable(
    Schema.timeOf('When the stored value was set; null if none is stored yet.'),
  ),
  changesAt,
  condition: Type.Optional(
    Type.Array(PartResponse, { description: 'For an audience: the condition, then its parts.' }),
  ),
  events: Type.Optional(
    Schema.integer('For a computed trait: the number of events from which it is computed.'),
  ),
})

const PreviewResponse = Type.Object({
  size: Schema.integer('The number of profiles that would have a value.'),
  isExact: Schema.boolean(
    'false if size is an estimate: there are more than 100,000 profiles, or some stored events are not yet in profiles (try again later).',
  ),
  sample: Type.Array(
    Type.Object({
      userId: Schema.nullable(Schema.text('null until an event of the profile has a userId.')),
      value: Type.Unsafe({ description: 'true for a member of an audience.' }),
    }),
  ),
  reachesBackTo,
})

const ExplainQuery = Type.Object(
  { userId: Type.String({ minLength: 1, maxLength: 1024, description: 'The id of a user.' }) },
  Schema.strict,
)

function workSchemas({
  tag,
  operation: name,
  withArticle,
  definition,
  definitionField,
}: ComputationKind) {
  const { viewer, editor } = Schema.operationsTagged(tag)
  const params = Schema.IdParams
  return {
    sync: {
      ...editor(`sync${name}`, `Starts a full sync of ${withArticle}`),
      description:
        'Evaluates every profile, and sends changes. Rarely needed: events are evaluated within seconds, and a sync runs daily.',
      params,
      body: Schema.EmptyBody,
      response: Schema.responses(202, 'The sync.', Schema.ref(SyncResponse)),
    },
    syncs: {
      ...viewer(`list${name}Syncs`, `Lists the syncs of ${withArticle}, newest first`),
      description: 'The waiting or running sync, and the last 20 finished ones.',
      params,
      querystring: Schema.ListQuery,
      response: Schema.pages('A page of syncs.', Schema.ref(SyncResponse)),
    },
    preview: {
      ...viewer(`preview${name}`, 'Shows how many users would have a value'),
      isLongRead: true,
      showsUsers: true,
      description: 'Changes nothing, and sends nothing.',
      body: Type.Object(
        {
          space: Type.Optional(Schema.space(`The space; ${Schema.DEFAULT_SPACE_TEXT}`)),
          [definition]: definitionField,
        },
        Schema.strict,
      ),
      response: Schema.ok('The size, and at most ten users.', PreviewResponse),
    },
    explain: {
      ...viewer(`explain${name}`, "Explains a user's value"),
      params,
      querystring: ExplainQuery,
      response: Schema.ok('The value and its explanation.', ExplainedResponse),
    },
  }
}

/** The routes of syncs, previews and explanations of audiences or computed traits. */
export function addWorkRoutes(app: AdminApp, deps: ComputationDeps, kind: ComputationKind): void {
  const { catalog, audit, clock, computations, syncs, wake } = deps
  const { path } = kind
  const schemas = workSchemas(kind)
  const list = new List<Sync>('syncs', presentSync)

  app.post(`${path}/:id/sync`, { schema: schemas.sync }, async (request, reply) => {
    const { id, enabled } = requireComputation(catalog, kind, request.params.id)
    if (!enabled) {
      const detail = 'The record is disabled. Enabling it starts a sync.'
      throw new Problem('invalid_state', { detail })
    }
    const change = { targetId: id, before: null, after: { sync: 'requested' } }
    // Separately, since syncs are not in the catalog.
    await audit.append(auditEntry(request, clock.wall(), change))
    const sync = await computations.requestSync(id, 'requested')
    wake()
    return reply.code(202).send(presentSync(sync))
  })

  app.get(`${path}/:id/syncs`, { schema: schemas.syncs }, async ({ params, query }) => {
    const { id } = requireComputation(catalog, kind, params.id)
    return list.page(query, (page) => syncs.list(id, page))
  })

  const options = { schema: schemas.preview, attachValidation: true }
  app.post(`${path}/preview`, options, async (request) => {
    const { space, definition } = previewedDefinition(request, kind, catalog.current)
    const previewed = { space, ...definition } as Parameters<typeof computations.preview>[0]
    return Schema.withTimes(await computations.preview(previewed), 'reachesBackTo')
  })

  app.get(`${path}/:id/explain`, { schema: schemas.explain }, async ({ params, query }) => {
    const { userId } = query
    const record = requireComputation(catalog, kind, params.id)
    const detail = `This user has no profile in the space ${record.space}.`
    const explained = requireFound(await computations.explain(record, userId), detail)
    const { condition, value = null, ...rest } = explained
    return {
      userId,
      value,
      ...Schema.withTimes(rest, 'since', 'changesAt'),
      ...(condition && {
        condition: condition.map((part) => Schema.withTimes(part, 'changesAt')),
      }),
    }
  })
}
