import { formatTimestamp, INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import Type from 'typebox'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { time } from '../api/schema-parts.ts'
import { responses } from '../problems/responses.ts'
import { MISSING_CAUSES, type MissingCause } from './missing-causes.ts'
import { whyMissing } from './why-missing.ts'

const optional = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const CauseResponse = Type.Object({
  code: Type.Enum(Object.keys(MISSING_CAUSES)),
  message: Type.String(),
  remedy: Type.String(),
  evidence: Type.Object(
    {
      count: Type.Optional(Type.Integer()),
      since: Type.Optional(time),
      lastAt: Type.Optional(time),
      code: Type.Optional(Type.String({ description: 'A code of the ingestion API.' })),
      eventId: Type.Optional(Type.String()),
      sourceId: Type.Optional(Type.String()),
      deletionId: Type.Optional(Type.String()),
    },
    { description: 'What this service knows. docs/reference/errors.md explains each code.' },
  ),
})

const schema = {
  tags: ['Events'],
  operationId: 'explainMissingEvent',
  summary: 'Lists why an event may be missing',
  description:
    'For a call that made no event. Name what is known of it. Refused calls are those of the last 24 hours, counted up to a minute ago.',
  querystring: Type.Object(
    {
      messageId: optional('The messageId of the call.'),
      eventId: optional('The id of the event.'),
      userId: optional('The userId of the call.'),
      anonymousId: optional('Its anonymousId; only used without a userId.'),
      sourceId: optional('Its source.'),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'The causes, the surest first.',
    Type.Object({ causes: Type.Array(CauseResponse) }),
  ),
}

/** `/events/why-missing`: why an event that was sent is not there. */
export function addWhyMissingRoute(app: AdminApp, deps: AdminDeps): void {
  app.get('/events/why-missing', { schema }, async ({ query }) => ({
    causes: (await whyMissing(query, deps)).map(presentCause),
  }))
}

function presentCause({ code, evidence }: MissingCause): object {
  const { since, lastAt } = evidence
  const { message, remedy } = wordsOf(code, evidence.code)
  return {
    code,
    message,
    remedy,
    evidence: {
      ...evidence,
      ...(since !== undefined && { since: formatTimestamp(since) }),
      ...(lastAt !== undefined && { lastAt: formatTimestamp(lastAt) }),
    },
  }
}

function wordsOf(
  code: MissingCause['code'],
  refusal: string | undefined,
): { readonly message: string; readonly remedy: string } {
  const { meaning, help } = MISSING_CAUSES[code]
  if (refusal === undefined || !Object.hasOwn(INGEST_CODES, refusal))
    return { message: meaning, remedy: help }
  const { message, help: remedy } = INGEST_CODES[refusal as IngestCodeName]
  return { message: `${meaning} ${refusal}: ${message}`, remedy }
}
