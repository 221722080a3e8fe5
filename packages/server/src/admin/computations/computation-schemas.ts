import Type, { type TObject, type TProperties } from 'typebox'
import { listQuery, pageSchema } from '../api/list.ts'
import {
  EmptyBody,
  IdParams,
  IfMatchHeaders,
  operationsTagged,
  spaceField,
  time,
} from '../api/schema-parts.ts'
import { componentSchema, responses, versionedResponses } from '../problems/responses.ts'
import { CHANGES_DAYS, ChangeCountsResponse } from './change-counts.ts'
import { changeBody, creationBody } from './computation-fields.ts'
import { ExplainedResponse } from './explained-value.ts'
import { previewBody, PreviewResponse } from './preview-schema.ts'

/** How the schemas of one kind of computation differ from those of the other. */
interface SchemaTexts {
  readonly tag: 'Audiences' | 'Computed traits'
  /** In operation ids: `createAudience`. */
  readonly operation: 'Audience' | 'Trait'
  /** In sentences: `an audience`. */
  readonly one: string
  readonly many: string
  readonly component: 'Audience' | 'ComputedTrait'
  /** The fields of the definition in the body of a request that creates one. */
  readonly newFields: TProperties
  /** The same for a request that changes one. */
  readonly changedFields: TProperties
  /** The same for a preview. */
  readonly previewed: TProperties
}

const strict = { additionalProperties: false }

/** Requests and responses of the routes that audiences and computed traits both have. */
export function computationSchemas(texts: SchemaTexts) {
  return { ...recordSchemas(texts), ...workSchemas(texts) }
}

function recordSchemas(texts: SchemaTexts) {
  const { tag, operation: name, one, many, component, newFields, changedFields } = texts
  const operation = operationsTagged(tag)
  const shown = componentSchema(component)
  const params = IdParams
  return {
    list: {
      ...operation(`list${name}s`, `Lists ${many}, oldest first`),
      querystring: Type.Object(
        {
          ...listQuery,
          space: Type.Optional(spaceField(`Only ${many} of this space.`)),
        },
        strict,
      ),
      response: responses(200, `A page of ${many}.`, pageSchema(shown)),
    },
    create: {
      ...operation(`create${name}`, `Creates ${one}, and sends it for each user who has a value`),
      description:
        'The key comes from the name: snake_case. It is unique in the space and never changes. The first sync starts at once.',
      body: creationBody(newFields) as TObject,
      response: versionedResponses(201, `What was created.`, shown),
    },
    get: {
      ...operation(`get${name}`, `Shows ${one}, with its state, its size and its last sync`),
      params,
      response: versionedResponses(200, 'The record and its state.', shown),
    },
    change: {
      ...operation(`change${name}`, `Changes ${one}`),
      description:
        'Fields that are absent stay unchanged. A new definition starts a sync: changes are sent only for users whose value changes. A destination that is added gets the value of every user.',
      params,
      headers: IfMatchHeaders,
      body: changeBody(changedFields) as TObject,
      response: versionedResponses(200, 'The changed record.', shown),
    },
    remove: {
      ...operation(`remove${name}`, `Removes ${one}`),
      params,
      headers: IfMatchHeaders,
      querystring: Type.Object(
        {
          announce: Type.Optional(
            Type.Enum(['true', 'false'], {
              description:
                'true: first sends to the destinations, for every user, that the value is gone: false for an audience, null for a computed trait. Then the response is 202.',
            }),
          ),
        },
        strict,
      ),
      response: {
        ...responses(204, 'The record was removed.'),
        ...responses(202, 'It is removed when every user is announced.', componentSchema('Sync')),
      },
    },
  }
}

function workSchemas({ tag, operation: name, one, previewed }: SchemaTexts) {
  const operation = operationsTagged(tag)
  const params = IdParams
  return {
    sync: {
      ...operation(`sync${name}`, `Starts a full sync of ${one}`),
      description:
        'Evaluates every profile, and sends what has changed. Nobody needs to do this: each event is evaluated within seconds, and a sync runs once a day.',
      params,
      body: EmptyBody,
      response: responses(202, 'The sync.', componentSchema('Sync')),
    },
    syncs: {
      ...operation(`list${name}Syncs`, `Lists the syncs of ${one}, newest first`),
      description: 'Those that wait or run, and the last one that ended.',
      params,
      querystring: Type.Object(listQuery, strict),
      response: responses(200, 'A page of syncs.', pageSchema(componentSchema('Sync'))),
    },
    preview: {
      ...operation(`preview${name}`, 'Shows for how many users there would be a value'),
      description: 'Changes nothing, and sends nothing.',
      body: previewBody(previewed) as TObject,
      response: responses(200, 'The size, and at most ten users.', PreviewResponse),
    },
    explain: {
      ...operation(`explain${name}`, 'Shows why a user has the value that it has'),
      params,
      querystring: Type.Object(
        {
          userId: Type.String({ minLength: 1, maxLength: 1024, description: 'The id of a user.' }),
        },
        strict,
      ),
      response: responses(200, 'The value, and where it comes from.', ExplainedResponse),
    },
    changes: {
      ...operation(`get${name}Changes`, 'Shows how many profiles entered and left in each hour'),
      params,
      querystring: Type.Object(
        {
          from: Type.Optional(
            Type.String({
              maxLength: 40,
              description: `At this time or later, in ISO 8601; by default the last 7 days. At most ${CHANGES_DAYS} days ago.`,
            }),
          ),
        },
        strict,
      ),
      response: responses(
        200,
        'The hours in which something changed, oldest first.',
        Type.Object({ from: time, data: Type.Array(ChangeCountsResponse) }),
      ),
    },
  }
}

/** The schemas of one kind, as its routes use them. */
export type ComputationSchemas = ReturnType<typeof computationSchemas>
