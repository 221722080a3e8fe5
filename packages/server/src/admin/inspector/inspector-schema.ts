import { formatTimestamp, INSPECTOR_LIMITS, INSPECTOR_URL, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import type { Answers } from '../../inspector/inspector.ts'
import {
  type InspectedRequest,
  type RequestSummary,
  summaryOf,
  withoutSignatures,
} from '../../inspector/inspected-request.ts'
import { KEPT, type KeptCounts } from '../../inspector/kept-requests.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { IdParams, nullable, operationsTagged, time } from '../api/schema-parts.ts'
import { responses } from '../problems/responses.ts'

const answers = {
  status: Type.Integer({
    minimum: 200,
    maximum: 599,
    description: 'The status of the responses, 200 to 599.',
  }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: INSPECTOR_LIMITS.delayMs,
    description: `How long each response is delayed, up to ${INSPECTOR_LIMITS.delayMs}. Attempts have a deadline of 5 s.`,
  }),
  failFirst: nullable(
    Type.Integer({
      minimum: 1,
      maximum: INSPECTOR_LIMITS.failFirst,
      description: `How many attempts of each delivery get status, 1 to ${INSPECTOR_LIMITS.failFirst}; later ones get 200. null: all of them.`,
    }),
  ),
}

const AnswersResponse = Type.Object(answers)

/** Each of these may be absent. */
const AnswersRequest = Type.Object(
  {
    status: Type.Optional({ ...answers.status, default: 200 }),
    delayMs: Type.Optional({ ...answers.delayMs, default: 0 }),
    failFirst: Type.Optional({ ...answers.failFirst, default: null }),
  },
  { additionalProperties: false },
)

const InspectorResponse = Type.Object({
  url: Type.String({
    description:
      'The URL to give a webhook. Any path may follow it. It leads to the inspector whatever the settings allowedNetworks, allowedPorts and egressProxy say.',
  }),
  answers: AnswersResponse,
  requests: Type.Object({
    kept: Type.Integer({ description: 'How many requests are kept.' }),
    bytes: Type.Integer({ description: 'Their bytes: body, path and headers.' }),
    received: Type.Integer({ description: 'How many have come since the start.' }),
  }),
  limits: Type.Object({
    requests: Type.Integer({ description: 'The most requests that each node keeps.' }),
    bytes: Type.Integer({ description: 'The most bytes that each node keeps.' }),
    bodyBytes: Type.Integer({ description: 'The largest body. A larger one gets 413.' }),
  }),
})

const scheme = (name: string) =>
  Type.Enum(['ok', 'wrong', 'stale', 'missing', 'unchecked'], {
    description: `${name} alone. stale: its timestamp is more than five minutes from now. unchecked: there is no shared secret.`,
  })

const summary = {
  id: Type.String(),
  receivedAt: time,
  method: Type.String(),
  path: Type.String({ description: 'With the query.' }),
  size: Type.Integer({ description: 'Bytes of the body.' }),
  destinationId: nullable(
    Type.String({ description: 'The destination that sent it; null where it is not certain.' }),
  ),
  deliveryId: nullable(
    Type.String({ description: 'webhook-id: the same on every attempt, of a test delivery too.' }),
  ),
  attempt: nullable(Type.Integer({ description: 'The number of the attempt, from 1.' })),
  type: nullable(Type.String({ description: 'type of the body; null if the body is not JSON.' })),
  name: nullable(Type.String({ description: 'The name of the event, page or screen.' })),
  userId: nullable(Type.String()),
  anonymousId: nullable(Type.String()),
  messageId: nullable(Type.String()),
  signature: Type.Object({
    verdict: Type.Enum(['valid', 'invalid', 'missing']),
    reason: nullable(Type.String({ description: 'Why it is not valid; null if it is.' })),
    xSignature: scheme('X-Signature'),
    webhookSignature: scheme('webhook-signature'),
  }),
  response: Type.Object({
    status: Type.Integer(),
    delayMs: Type.Integer(),
    sent: Type.Boolean({
      description: 'false while it is delayed, and if Hookline closed the connection meanwhile.',
    }),
  }),
}

const WholeRequest = Type.Object({
  ...summary,
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description:
      'In their order. The values of static headers are [hidden]: they are secrets. So are signatures, below the role editor.',
  }),
  body: Type.String({ description: 'The body as text.' }),
})

const filter = {
  destinationId: Type.Optional(
    Type.String({ description: 'Only requests of the destination with this id.' }),
  ),
  deliveryId: Type.Optional(
    Type.String({ description: 'Only the attempts of the delivery with this id.' }),
  ),
}

const operation = operationsTagged('Inspector')

/** Requests and responses of the routes of the inspector. */
export const inspectorSchemas = {
  get: {
    ...operation('getInspector', 'Shows the address of the inspector, and what it responds'),
    response: responses(200, 'The inspector.', InspectorResponse),
  },
  list: {
    ...operation('listInspectedRequests', 'Lists the requests that it got, newest first'),
    querystring: Type.Object({ ...listQuery, ...filter }, { additionalProperties: false }),
    response: responses(
      200,
      `A page of requests, without headers and body. The last ${KEPT.requests} are kept, and at most ${KEPT.bytes / 1024 / 1024} MiB. A restart ends them, and so does the deletion of their user.`,
      pageSchema(Type.Object(summary)),
    ),
  },
  find: {
    ...operation('getInspectedRequest', 'Shows a request as it came'),
    params: IdParams,
    response: responses(200, 'The request.', WholeRequest),
  },
  answer: {
    ...operation('changeInspectorAnswers', 'Sets what it responds from now on'),
    body: AnswersRequest,
    response: responses(
      200,
      'What it responds from now on. A restart ends it: then every request gets 200 at once.',
      AnswersResponse,
    ),
  },
  clear: {
    ...operation('clearInspector', 'Removes the requests that are kept'),
    response: responses(
      200,
      'They were removed.',
      Type.Object({ removed: Type.Integer({ description: 'How many there were.' }) }),
    ),
  },
}

/** The inspector as the API shows it. */
export function presentInspector(now: Answers, requests: KeptCounts): object {
  return {
    url: INSPECTOR_URL,
    answers: presentAnswers(now),
    requests,
    limits: { ...KEPT, bodyBytes: LIMITS.payloadBytes },
  }
}

/** What it responds, as the API shows it. */
export function presentAnswers({ status, delayMs, failFirst }: Answers): object {
  return { status, delayMs, failFirst }
}

/** A request as a list shows it. */
export function presentSummary(request: RequestSummary): object {
  const { receivedAt, event, response, ...others } = request
  const { type, name, userId, anonymousId, messageId } = event
  const { status, delayMs, isSent } = response
  return {
    ...others,
    receivedAt: formatTimestamp(receivedAt),
    type,
    name,
    userId,
    anonymousId,
    messageId,
    response: { status, delayMs, sent: isSent },
  }
}

/** A request as it came; for those who may see no valid signatures, without them. */
export function presentRequest(request: InspectedRequest, showsSignatures: boolean): object {
  const shown = showsSignatures ? request.headers : withoutSignatures(request.headers)
  const headers = shown.map(([name, value]) => ({ name, value }))
  return { ...presentSummary(summaryOf(request)), headers, body: request.body.toString() }
}
