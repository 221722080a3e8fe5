import { INSPECTOR_LIMITS, INSPECTOR_URL, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { DEFAULT_RESPONSES, MAX_STORED } from '../inspector/inspector.ts'
import {
  type InspectedRequest,
  type RequestSummary,
  summaryOf,
  withoutSignatures,
} from '../inspector/inspected-request.ts'
import type { SharedInspector } from '../inspector/shared-inspector.ts'
import { fieldError } from '../util/field-error.ts'
import { includesRole, SIGNATURES_ROLE } from './access/roles.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { auditEntry, type ChangeDeps } from './audit.ts'
import { Problem, requireFound } from './problems/problem.ts'

const responses = {
  status: Type.Integer({ minimum: 200, maximum: 599, description: '200 to 599; 200 if absent.' }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: INSPECTOR_LIMITS.delayMs,
    description: `The delay of each response, up to ${INSPECTOR_LIMITS.delayMs}; 0 if absent. By default, an attempt times out after 5 s.`,
  }),
  failFirst: Schema.nullable(
    Type.Integer({
      minimum: 1,
      maximum: INSPECTOR_LIMITS.failFirst,
      description: `How many attempts of each delivery get this status, 1 to ${INSPECTOR_LIMITS.failFirst}; later ones get 200. null or absent: all.`,
    }),
  ),
}

const ResponseConfig = Type.Object(responses)

const ResponseConfigRequest = Type.Partial(ResponseConfig, Schema.strict)

const InspectorResponse = Type.Object({
  url: Schema.text(
    'The URL for webhooks. It can have any path. The settings allowedNetworks, allowedPorts and egressProxy do not apply to it.',
  ),
  responses: ResponseConfig,
  requests: Type.Object({
    stored: Schema.integer('Stored requests.'),
    bytes: Schema.integer('The size of the stored requests in bytes: body, path and headers.'),
    received: Schema.integer('Requests since startup.'),
  }),
  limits: Type.Object({
    requests: Schema.integer('The maximum number of requests stored on each node.'),
    bytes: Schema.integer('The maximum number of bytes stored on each node.'),
    bodyBytes: Schema.integer('The maximum size of a body. A larger one gets 413.'),
  }),
})

const scheme = (name: string) =>
  Schema.oneOf(
    ['valid', 'invalid', 'stale', 'missing', 'unchecked'],
    `The verdict on ${name}. stale (webhook-signature only): webhook-timestamp is more than five minutes off. unchecked: the sending destination is unknown, or has no secret or key that verifies it.`,
  )

const summary = {
  id: Type.String(),
  receivedAt: Schema.time,
  method: Type.String(),
  path: Schema.text('The path, including the query.'),
  size: Schema.integer('Bytes of the body.'),
  destinationId: Schema.nullable(
    Schema.text('The destination that sent the request; null if unknown or ambiguous.'),
  ),
  deliveryId: Schema.nullable(Schema.text('webhook-id: the same on every attempt.')),
  attempt: Schema.nullable(Schema.integer('The number of the attempt, starting at 1.')),
  type: Schema.nullable(
    Schema.text('The type field of the body; null if it has none, for example after a transform.'),
  ),
  name: Schema.nullable(Schema.text('The name of the event, page or screen.')),
  userId: Schema.nullable(Type.String()),
  anonymousId: Schema.nullable(Type.String()),
  messageId: Schema.nullable(Type.String()),
  signature: Type.Object({
    verdict: Type.Enum(['valid', 'invalid', 'missing']),
    reason: Schema.nullable(Schema.text('Why the signature is not valid; null if it is.')),
    xSignature: scheme('X-Signature'),
    webhookSignature: scheme('webhook-signature'),
  }),
  response: Type.Object({
    status: Type.Integer(),
    delayMs: Type.Integer(),
    sent: Schema.boolean(
      'false while the response is delayed, or if the connection was closed first.',
    ),
  }),
}

const WholeRequest = Type.Object({
  ...summary,
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description:
      'In order. The values of static headers, and for viewers also the signatures, are replaced with [hidden].',
  }),
  body: Schema.text('The body as text.'),
})

const filters = {
  destinationId: Type.Optional(Schema.text('Only requests from the destination with this id.')),
  deliveryId: Type.Optional(Schema.text('Only attempts for the delivery with this id.')),
}

const { viewer, editor } = Schema.operationsTagged('Inspector')

const schemas = {
  get: {
    ...viewer('getInspector', 'Shows the URL of the inspector and its configured response'),
    response: Schema.ok('The inspector.', InspectorResponse),
  },
  list: {
    ...viewer('listInspectedRequests', 'Lists requests, newest first'),
    querystring: Type.Object({ ...Schema.listQuery, ...filters }, Schema.strict),
    response: Schema.pages(
      `A page of requests, without headers or body. The last ${MAX_STORED.requests} are stored, up to ${MAX_STORED.bytes / 1024 / 1024} MiB, until a restart or until their user is deleted.`,
      Type.Object(summary),
    ),
  },
  find: {
    ...viewer('getInspectedRequest', 'Shows a request'),
    params: Schema.IdParams,
    response: Schema.ok('The request.', WholeRequest),
  },
  respond: {
    ...editor('changeInspectorResponses', 'Sets the response'),
    body: ResponseConfigRequest,
    response: Schema.ok('The response, which applies until a restart.', ResponseConfig),
  },
  clear: {
    ...editor('clearInspector', 'Deletes all stored requests'),
    response: Schema.ok(
      'The number of deleted requests.',
      Type.Object({ removed: Type.Integer() }),
    ),
  },
}

interface InspectorDeps extends Pick<ChangeDeps, 'audit' | 'clock'> {
  readonly inspector: SharedInspector
}

const list = new List<RequestSummary>('inspected-requests', presentSummary)

/** `/inspector`: the built-in receiver. */
export function addInspectorRoutes(
  app: AdminApp,
  { inspector, audit, clock }: InspectorDeps,
): void {
  app.get('/inspector', { schema: schemas.get }, async () => ({
    url: INSPECTOR_URL,
    responses: inspector.responses,
    requests: await inspector.counts(),
    limits: { ...MAX_STORED, bodyBytes: LIMITS.payloadBytes },
  }))

  app.get('/inspector/requests', { schema: schemas.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filter } = query
    return list.page(query, (page) => inspector.list(filter, page))
  })

  app.get('/inspector/requests/:id', { schema: schemas.find }, async ({ params, actor }) => {
    const request = requireFound(await inspector.find(params.id), 'No stored request has this id.')
    return presentRequest(request, includesRole(actor.role, SIGNATURES_ROLE))
  })

  app.put('/inspector/responses', { schema: schemas.respond }, async (request) => {
    const next = { ...DEFAULT_RESPONSES, ...request.body }
    if (next.failFirst !== null && next.status < 300)
      throw new Problem('invalid_body', { errors: [NOT_FAILING] })
    const change = { targetId: null, before: inspector.responses, after: next }
    await audit.append(auditEntry(request, clock.wall(), change))
    await inspector.respond(next)
    return next
  })

  app.delete('/inspector/requests', { schema: schemas.clear }, async (request) => {
    const before = { requests: (await inspector.counts()).stored }
    await audit.append(auditEntry(request, clock.wall(), { targetId: null, before, after: null }))
    return { removed: await inspector.clear() }
  })
}

const NOT_FAILING = fieldError(
  '/failFirst',
  'needs_failing_status',
  'failFirst requires a failing status.',
  'Use a status of 300 or more, like 500.',
)

function presentSummary({ event, response, ...request }: RequestSummary): object {
  const { previousId: _, ...shown } = event
  const { status, delayMs, isSent: sent } = response
  return {
    ...Schema.withTimes(request, 'receivedAt'),
    ...shown,
    response: { status, delayMs, sent },
  }
}

function presentRequest(request: InspectedRequest, showsSignatures: boolean): object {
  const shown = showsSignatures ? request.headers : withoutSignatures(request.headers)
  const headers = shown.map(([name, value]) => ({ name, value }))
  return { ...presentSummary(summaryOf(request)), headers, body: request.body.toString() }
}
