import { formatTimestamp, INSPECTOR_LIMITS, INSPECTOR_URL, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { type Answers, FIRST_ANSWERS, KEPT, type KeptCounts } from '../inspector/inspector.ts'
import {
  type InspectedRequest,
  type RequestSummary,
  summaryOf,
  withoutSignatures,
} from '../inspector/inspected-request.ts'
import type { SharedInspector } from '../inspector/shared-inspector.ts'
import { fault } from '../util/fault.ts'
import { isRoleEnough, SIGNATURES_ROLE } from './access/roles.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { auditEntry, type ChangeDeps } from './audit.ts'
import { found, Problem } from './problems/problem.ts'

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
  failFirst: Schema.nullable(
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
  Schema.strict,
)

const InspectorResponse = Type.Object({
  url: Schema.text(
    'The URL to give a webhook. Any path may follow it. It leads to the inspector whatever the settings allowedNetworks, allowedPorts and egressProxy say.',
  ),
  answers: AnswersResponse,
  requests: Type.Object({
    kept: Schema.integer('How many requests are kept.'),
    bytes: Schema.integer('Their bytes: body, path and headers.'),
    received: Schema.integer('How many have come since the start.'),
  }),
  limits: Type.Object({
    requests: Schema.integer('The most requests that each node keeps.'),
    bytes: Schema.integer('The most bytes that each node keeps.'),
    bodyBytes: Schema.integer('The largest body. A larger one gets 413.'),
  }),
})

const scheme = (name: string) =>
  Schema.oneOf(
    ['ok', 'wrong', 'stale', 'missing', 'unchecked'],
    `${name} alone. stale: its timestamp is more than five minutes from now. unchecked: there is no shared secret.`,
  )

const summary = {
  id: Type.String(),
  receivedAt: Schema.time,
  method: Type.String(),
  path: Schema.text('With the query.'),
  size: Schema.integer('Bytes of the body.'),
  destinationId: Schema.nullable(
    Schema.text('The destination that sent it; null where it is not certain.'),
  ),
  deliveryId: Schema.nullable(
    Schema.text('webhook-id: the same on every attempt, of a test delivery too.'),
  ),
  attempt: Schema.nullable(Schema.integer('The number of the attempt, from 1.')),
  type: Schema.nullable(Schema.text('type of the body; null if the body is not JSON.')),
  name: Schema.nullable(Schema.text('The name of the event, page or screen.')),
  userId: Schema.nullable(Type.String()),
  anonymousId: Schema.nullable(Type.String()),
  messageId: Schema.nullable(Type.String()),
  signature: Type.Object({
    verdict: Type.Enum(['valid', 'invalid', 'missing']),
    reason: Schema.nullable(Schema.text('Why it is not valid; null if it is.')),
    xSignature: scheme('X-Signature'),
    webhookSignature: scheme('webhook-signature'),
  }),
  response: Type.Object({
    status: Type.Integer(),
    delayMs: Type.Integer(),
    sent: Schema.boolean(
      'false while it is delayed, and if Hookline closed the connection meanwhile.',
    ),
  }),
}

const WholeRequest = Type.Object({
  ...summary,
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description:
      'In their order. The values of static headers are [hidden]: they are secrets. So are signatures, below the role editor.',
  }),
  body: Schema.text('The body as text.'),
})

const filters = {
  destinationId: Type.Optional(Schema.text('Only requests of the destination with this id.')),
  deliveryId: Type.Optional(Schema.text('Only the attempts of the delivery with this id.')),
}

const { viewer, editor } = Schema.operationsTagged('Inspector')

const schemas = {
  get: {
    ...viewer('getInspector', 'Shows the address of the inspector, and what it responds'),
    response: Schema.ok('The inspector.', InspectorResponse),
  },
  list: {
    ...viewer('listInspectedRequests', 'Lists the requests that it got, newest first'),
    querystring: Type.Object({ ...Schema.listQuery, ...filters }, Schema.strict),
    response: Schema.pages(
      `A page of requests, without headers and body. The last ${KEPT.requests} are kept, and at most ${KEPT.bytes / 1024 / 1024} MiB. A restart ends them, and so does the deletion of their user.`,
      Type.Object(summary),
    ),
  },
  find: {
    ...viewer('getInspectedRequest', 'Shows a request as it came'),
    params: Schema.IdParams,
    response: Schema.ok('The request.', WholeRequest),
  },
  answer: {
    ...editor('changeInspectorAnswers', 'Sets what it responds from now on'),
    body: AnswersRequest,
    response: Schema.ok(
      'What it responds from now on. A restart ends it: then every request gets 200 at once.',
      AnswersResponse,
    ),
  },
  clear: {
    ...editor('clearInspector', 'Removes the requests that are kept'),
    response: Schema.ok(
      'They were removed.',
      Type.Object({ removed: Schema.integer('How many there were.') }),
    ),
  },
}

interface InspectorDeps extends Pick<ChangeDeps, 'audit' | 'clock'> {
  readonly inspector: SharedInspector
}

const list = new List<RequestSummary>('inspected-requests', presentSummary)

/** `/inspector`: the receiver inside. */
export function addInspectorRoutes(
  app: AdminApp,
  { inspector, audit, clock }: InspectorDeps,
): void {
  app.get('/inspector', { schema: schemas.get }, async () =>
    presentInspector(inspector.answers, await inspector.counts()),
  )

  app.get('/inspector/requests', { schema: schemas.list }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filter } = query
    return list.page(query, (page) => inspector.list(filter, page))
  })

  app.get('/inspector/requests/:id', { schema: schemas.find }, async ({ params, actor }) => {
    const detail = 'The inspector keeps no request with this id: it keeps the last ones only.'
    const request = found(await inspector.find(params.id), detail)
    return presentRequest(request, isRoleEnough(actor.role, SIGNATURES_ROLE))
  })

  app.put('/inspector/answers', { schema: schemas.answer }, async (request) => {
    const next = { ...FIRST_ANSWERS, ...request.body }
    if (next.failFirst !== null && next.status < 300) throw notFailing()
    const change = { targetId: null, before: inspector.answers, after: next }
    await audit.append(auditEntry(request, clock.wall(), change))
    await inspector.respond(next)
    return next
  })

  app.delete('/inspector/requests', { schema: schemas.clear }, async (request) => {
    const before = { requests: (await inspector.counts()).kept }
    await audit.append(auditEntry(request, clock.wall(), { targetId: null, before, after: null }))
    return { removed: await inspector.clear() }
  })
}

function notFailing(): Problem {
  const message = 'failFirst needs a status that fails.'
  const hint = 'Give a status of 300 or more, like 500: attempts with 200 to 299 are delivered.'
  return new Problem('invalid_body', {
    faults: [fault('/failFirst', 'needs_failing_status', message, hint)],
  })
}

function presentInspector(current: Answers, requests: KeptCounts): object {
  return {
    url: INSPECTOR_URL,
    answers: current,
    requests,
    limits: { ...KEPT, bodyBytes: LIMITS.payloadBytes },
  }
}

/** A request as a list shows it. */
function presentSummary(request: RequestSummary): object {
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
function presentRequest(request: InspectedRequest, showsSignatures: boolean): object {
  const shown = showsSignatures ? request.headers : withoutSignatures(request.headers)
  const headers = shown.map(([name, value]) => ({ name, value }))
  return { ...presentSummary(summaryOf(request)), headers, body: request.body.toString() }
}
