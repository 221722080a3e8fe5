import Type from 'typebox'
import { responses } from '../problems/responses.ts'
import { anyObject, nameField, nullable, operationsTagged } from '../api/schema-parts.ts'

const FLAG = ['true', 'false'] as const

const SourceEntryBody = Type.Object(
  {
    id: Type.String({ pattern: '^src_[0-9a-z]{26}$' }),
    name: nameField,
    enabled: Type.Boolean(),
    rateLimit: nullable(Type.Integer({ minimum: 1 })),
    writeKeys: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }))),
  },
  { additionalProperties: false },
)

const DestinationEntryBody = Type.Object(
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
const ConfigurationBody = Type.Object(
  {
    hookline: Type.Literal(1, { description: 'The version of the form: 1.' }),
    sources: Type.Array(SourceEntryBody, { maxItems: 10_000, description: ENTRY }),
    destinations: Type.Array(DestinationEntryBody, { maxItems: 10_000, description: ENTRY }),
  },
  { additionalProperties: false },
)

const ids = Type.Array(Type.String())
const DiffResponse = Type.Object({
  dryRun: Type.Boolean(),
  created: ids,
  changed: Type.Array(Type.Object({ id: Type.String(), fields: ids })),
  unchanged: ids,
  notInDocument: Type.Array(Type.String(), {
    description: 'Sources and destinations that are here and not in the document. They stay.',
  }),
})

const operation = operationsTagged('Configuration')

/** What the routes of export and import take and answer. */
export const configurationSchemas = {
  export: {
    ...operation('exportConfiguration', 'Sources and destinations as one document'),
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
    response: responses(200, 'The document.', ConfigurationBody),
  },
  import: {
    ...operation('importConfiguration', 'Makes sources and destinations as a document says'),
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
    body: ConfigurationBody,
    response: responses(200, 'What changed, or would change.', DiffResponse),
  },
}
