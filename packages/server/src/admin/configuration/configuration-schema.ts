import Type from 'typebox'
import { responses } from '../problems/responses.ts'
import { anyObject, nameField, nullable } from '../api/schema.ts'

const FLAG = ['true', 'false'] as const

const SourceEntry = Type.Object(
  {
    id: Type.String({ pattern: '^src_[0-9a-z]{26}$' }),
    name: nameField,
    enabled: Type.Boolean(),
    rateLimit: nullable(Type.Integer({ minimum: 1 })),
    writeKeys: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }))),
  },
  { additionalProperties: false },
)

const DestinationEntry = Type.Object(
  {
    id: Type.String({ pattern: '^dst_[0-9a-z]{26}$' }),
    sourceId: Type.String(),
    type: Type.Enum(['Webhooks']),
    name: nameField,
    enabled: Type.Boolean(),
    paused: Type.Optional(
      Type.Boolean({ description: 'Whether deliveries are held; if absent, as it is.' }),
    ),
    // Their own parser knows every rule and its remedy.
    settings: Type.Unsafe<unknown>({
      ...anyObject,
      description: 'As POST /destinations takes them.',
    }),
  },
  { additionalProperties: false },
)

const ENTRY = 'Entries as GET /export gives them: every field, no other.'

/** The configuration as one document. */
const ConfigurationDocument = Type.Object(
  {
    hookline: Type.Literal(1, { description: 'The version of the form: 1.' }),
    sources: Type.Array(SourceEntry, { maxItems: 10_000, description: ENTRY }),
    destinations: Type.Array(DestinationEntry, { maxItems: 10_000, description: ENTRY }),
  },
  { additionalProperties: false },
)

const ids = Type.Array(Type.String())
const DiffShown = Type.Object({
  dryRun: Type.Boolean(),
  created: ids,
  changed: Type.Array(Type.Object({ id: Type.String(), fields: ids })),
  unchanged: ids,
  notInDocument: Type.Array(Type.String(), {
    description: 'Sources and destinations that are here and not in the document. They stay.',
  }),
})

const about = (operationId: string, summary: string) => ({
  tags: ['Configuration'],
  operationId,
  summary,
})

/** What the routes of export and import take and answer. */
export const EXPORT_SCHEMAS = {
  export: {
    ...about('exportConfiguration', 'Sources and destinations as one document'),
    description:
      'The same configuration always gives the same text, so that it can be kept under version control. Without secrets they are shown as {"set": true}, and write keys are left out.',
    querystring: Type.Object(
      {
        withSecrets: Type.Optional(
          Type.Enum([...FLAG], {
            description: 'true: with shared secrets, header values and write keys in clear.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: responses(200, 'The document.', ConfigurationDocument),
  },
  import: {
    ...about('importConfiguration', 'Makes sources and destinations as a document says'),
    description:
      'What is not there is made with the id it has in the document; what is there is changed; nothing is removed. A secret that the document only says to be set stays as it is. Safe to send again: what was done is then unchanged.',
    querystring: Type.Object(
      {
        dryRun: Type.Optional(
          Type.Enum([...FLAG], { description: 'true: only says what would change.' }),
        ),
      },
      { additionalProperties: false },
    ),
    body: ConfigurationDocument,
    response: responses(200, 'What changed, or would change.', DiffShown),
  },
}
