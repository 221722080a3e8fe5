import {
  type Audience,
  CALL_EXAMPLES,
  type ComputedTrait,
  deletionPayload,
  type Event,
  EVENT_TYPES,
  type Json,
  LIMITS,
  PAYLOAD_FIELDS,
  type PayloadType,
  RESERVED_HEADERS,
  WEBHOOK_PAYLOAD_SCHEMA,
  webhookPayload,
} from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { identifyOf } from '../../../packages/server/src/audiences/evaluation/announcement.ts'
import { code, fence, list, page, plain, table } from '../markdown.ts'

const HOUR_MS = 3_600_000

/** docs/reference/webhook-payload.md: the requests to a receiver. */
export function webhookPayloadPage(): string {
  return page(
    '# The webhook payload',
    'Hookline sends each event to your webhooks as a `POST` request with a JSON object. A destination can use [another method, and a URL with the userId](../guides/filter-and-transform-events.md#change-the-method-and-the-url). This page describes these requests. [Write a receiver](../guides/receivers.md) explains how to process them, and links to complete programs in five languages.',
    '## The request',
    headersTable(),
    `Respond with 2xx within ${LIMITS.attemptTimeoutMs / 1000} seconds, and do slow work afterwards. After 5xx, 408, 425, 429, a timeout or a failed connection, Hookline retries events for up to ${LIMITS.retryWindowMs / HOUR_MS} hours, and deletion notices for ${LIMITS.noticeRetryWindowMs / HOUR_MS / 24} days. All other responses are final, including redirects. The ${LIMITS.attemptTimeoutMs / 1000} seconds and the ${LIMITS.retryWindowMs / HOUR_MS} hours are defaults: a webhook can have [its own limits](../guides/webhook-limits.md), and can retry more statuses.`,
    list([
      '**At least once.** A delivery may arrive more than once, with the same `webhook-id`. Store the id, and ignore duplicates.',
      '**In any order.** Compare `timestamp` if the order matters.',
      'The response body does not affect the outcome. For each webhook, Hookline stores the first 4 KiB of up to 100 responses an hour per class of failure, and of one successful response a minute, so that operators can see them.',
    ]),
    ...signatures(),
    '## Fields of every payload',
    table(
      ['field', 'type', 'meaning'],
      [
        [
          code('version'),
          'integer',
          '1 in every payload except deletion notices, which have no version.',
        ],
        [code('type'), 'string', EVENT_TYPES.map(code).join(', ') + ' or `delete`'],
      ],
    ),
    '`integrations`, `sentAt`, `receivedAt`, `writeKey` and unknown fields of a call are not sent. A destination can [send other bodies](../guides/filter-and-transform-events.md): without some fields, in another format, or built by a transform. Each example is the exact body for the example call of the same type in [the ingestion API](ingestion-api.md).',
    ...EVENT_TYPES.flatMap(section),
    ...deletions(),
    '## Audience and computed trait changes',
    'A change is sent as an `identify` payload. It has one trait, whose name is the key of the audience or computed trait: its original name in snake_case. `context.audience` or `context.computedTrait` identifies the audience or computed trait.',
    ...computedExamples(),
    ...others(),
    ...compatibility(),
  )
}

export function webhookPayloadSchema(): string {
  return `${JSON.stringify(WEBHOOK_PAYLOAD_SCHEMA, null, 2)}\n`
}

function section(type: Exclude<PayloadType, 'delete'>): string[] {
  const event = { type, receivedAt: '', ...CALL_EXAMPLES[type] } as unknown as Event
  return [`### ${type}`, fieldsTable(type), fence('json', webhookPayload(event))]
}

function fieldsTable(type: PayloadType): string {
  const rows = Object.entries(PAYLOAD_FIELDS[type]).map(
    ([name, { type: kind, always, meaning }]) => [
      code(name),
      kind,
      always ? 'always' : 'may be absent',
      plain(meaning),
    ],
  )
  return table(['field', 'type', 'present', 'meaning'], rows)
}

function deletions(): string[] {
  const timestamp = '2026-11-21T09:40:00.000Z'
  return [
    '### delete',
    'A deletion notice means that a user was deleted, so delete your data about this user. It has no `version`, `messageId` or `context`. The notice is sent to all webhooks of each enabled destination, except alert channels.',
    fieldsTable('delete'),
    fence('json', deletionPayload({ userId: 'u1', timestamp })),
    fence('json', deletionPayload({ anonymousId: 'visitor-8f2c', timestamp })),
    'Events of this user that were already being sent may arrive after the notice. Compare their `timestamp` with the `timestamp` of the notice.',
  ]
}

function others(): string[] {
  return [
    '## Test deliveries and replays',
    list([
      '`npx hookline destinations test dst_… --type track` sends a sample event, with the `messageId` `sample-track`, the `userId` `sample-user` and the `anonymousId` `sample-visitor`. A sample of type `delete` is a deletion notice for `sample-user`.',
      'A test delivery of a past event (`--event evt_…`) has the same `webhook-id` as its delivery and, unless the settings have changed, the same body.',
      'A replayed delivery has the same `webhook-id` as before and, unless the settings of the destination have changed, the same body. It also has the `X-Hookline-Replay` header. A receiver that ignores known ids also ignores replays.',
    ]),
  ]
}

function compatibility(): string[] {
  return [
    '## Absent and unknown fields',
    list([
      'Hookline omits fields that the call did not have, or sends them as `{}` (`context`, `properties` and `traits`), but never as `null`.',
      'The contents of `context`, `properties` and `traits` come from your applications. They can be any JSON values, including `null`.',
      '**Ignore unknown fields.** Fields may be added to version 1 at any time.',
      '**Respond with 2xx to unknown types**, and ignore them. Otherwise their deliveries fail.',
      'Text is Unicode as the client sent it. Fields are currently sent in the order of the tables, but do not rely on it.',
    ]),
    '## Versions',
    '`version` changes if a field is removed or renamed, or gets another type or meaning. Each destination will be able to choose its version, so existing receivers can stay on version 1. New fields, types and headers do not change the version.',
    '## JSON Schema',
    'A running service serves the payload schema at `/v1/webhook-payload.schema.json` (draft 2020-12). [webhook-payload.schema.json](webhook-payload.schema.json) is the same file. It allows unknown fields, but not unknown types, so check `type` first.',
  ]
}

/** Every header that Hookline sets. A test compares them with real deliveries. */
export const DELIVERY_HEADERS: Readonly<Record<string, string>> = {
  'User-Agent': '`Hookline/1.0`.',
  'Content-Type':
    '`application/json`, or `application/cloudevents+json` with the CloudEvents format. The body is UTF-8.',
  'Accept-Encoding': '`identity`: do not compress the response.',
  'webhook-id':
    "`msg_…`: one for each event and destination. It is the same on every attempt and replay, and for all of a destination's webhooks.",
  'webhook-timestamp': 'Time of the attempt: Unix time in seconds.',
  'X-Hookline-Attempt':
    'Number of the attempt to this webhook, starting at 1. A replay or a manual retry starts at 1 again.',
  'X-Hookline-Replay': '`rpl_…`. Sent only on attempts in a replay.',
  traceparent:
    "Sent if the call had a `traceparent` or OpenTelemetry is on, unless `traceContext` is `off`. It continues the call's [distributed trace](../guides/traces.md).",
  tracestate: 'Sent with `traceparent` if the call had a `tracestate`.',
  'X-Signature': 'Sent only with a secret: see below.',
  'webhook-signature': 'Sent only with a secret or a key pair: see below.',
}

function headersTable(): string {
  const rows = Object.entries(DELIVERY_HEADERS).map(([name, meaning]) => [code(name), meaning])
  return [
    table(['header', 'meaning'], rows),
    "`Host`, `Connection`, `Content-Length`, the webhook's static headers and, with basic, bearer or OAuth 2 authentication, `Authorization` are sent as well. Header names are case-insensitive.",
    `Static headers cannot have these names: ${Object.values(RESERVED_HEADERS).flat().map(code).join(', ')}.`,
  ].join('\n\n')
}

const SECRET = 'an example secret'
const ID = 'msg_01m81grcbgedzt0s6b232e4pp8'
const TIMESTAMP = 1_795_253_460

/** How to compute the two signatures, with an example. */
function signatures(): string[] {
  const event = { type: 'track', receivedAt: '', ...CALL_EXAMPLES.track } as unknown as Event
  const body = webhookPayload(event)
  return [
    '## Signatures',
    'If the destination or the webhook has a secret, every request to the webhook has two signatures. Verify one of them. Prefer `webhook-signature`: it also covers the id and the time, which prevents replay attacks. A webhook secret is used instead of the shared secret.',
    "With `signature` set to `ed25519`, only the destination's key pair signs, and there is no `X-Signature`. With `both`, the key pair signs as well.",
    table(
      ['header', 'value'],
      [
        [
          code('X-Signature'),
          'HMAC-SHA1 of the body, as 40 lower-case hexadecimal digits. The key is the secret in UTF-8.',
        ],
        [
          code('webhook-signature'),
          '`v1,` and HMAC-SHA256 in Base64 of `webhook-id`, a dot, `webhook-timestamp`, a dot, and the body ([Standard Webhooks](https://www.standardwebhooks.com)). The key is the secret in UTF-8. If the secret begins with `whsec_`, the key is the rest, decoded from Base64. A key pair adds `v1a,` and the Ed25519 signature of the same text in Base64.',
        ],
      ],
    ),
    list([
      'Verify the raw bytes of the body, before you parse them. In JavaScript, `JSON.stringify(JSON.parse(body))` returns the same bytes; in other languages, serialising again may change them.',
      'Compare in constant time.',
      'Reject a `webhook-timestamp` that is more than 5 minutes before or after the current time.',
      'While a secret or a key is being replaced, `webhook-signature` carries signatures from the old and the new one, separated by a space. One of these signatures must match. `X-Signature` uses the new secret.',
      "A destination's public keys are at `/.well-known/hookline/keys/:destinationId`. [Verify with a public key](../guides/receivers.md#verify-with-a-public-key) links to code for three languages. [Standard Webhooks, clause by clause](standard-webhooks.md) lists where Hookline differs from the specification.",
    ]),
    `Example: for the track payload below, the shared secret \`${SECRET}\` and these headers`,
    fence('text', `webhook-id: ${ID}\nwebhook-timestamp: ${TIMESTAMP}`),
    'the signatures are',
    fence(
      'text',
      `X-Signature: ${xSignature(SECRET, body)}\nwebhook-signature: ${standardSignature(SECRET, ID, TIMESTAMP, body)}`,
    ),
  ]
}

const AT = Date.parse('2026-11-21T09:31:00.250Z')

const record = {
  space: 'default',
  destinationIds: [],
  enabled: true,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
}

const AUDIENCE: Audience = {
  ...record,
  kind: 'audience',
  id: 'aud_01m81grcbgedzt0s6b232e4pp8',
  name: 'Team plan',
  key: 'team_plan',
  condition: { trait: 'plan', op: 'equals', value: 'team' },
}

const TRAIT: ComputedTrait = {
  ...record,
  kind: 'trait',
  id: 'trt_01m81gsq2yf4x9d3kz0v7c5hwn',
  name: 'Revenue 30d',
  key: 'revenue_30d',
  compute: { fn: 'sum', event: 'Order Completed', property: 'revenue', within: { days: 30 } },
}

function computedExamples(): string[] {
  return [
    'A user enters an audience:',
    fence('json', bodyOf(AUDIENCE, true, 1)),
    'A user leaves it:',
    fence('json', bodyOf(AUDIENCE, false, 2)),
    'A computed trait changes:',
    fence('json', bodyOf(TRAIT, 39.95, 1)),
    table(
      ['field of `context.audience` and `context.computedTrait`', 'meaning'],
      [
        [code('id'), 'The id: `aud_…` or `trt_…`.'],
        [code('name'), 'The name. It may change.'],
        [code('key'), 'The key, which is the name of the trait. It never changes.'],
        [code('syncId'), '`syn_…` if a full sync found the change, otherwise `null`.'],
      ],
    ),
    list([
      'The value of an audience is `true` or `false`. The value of a computed trait depends on [its function](audience-operators.md#functions-of-computed-traits): a number, a string, a boolean or a list; any JSON value for `first` and `last`; and for some functions, `null` when no event is left.',
      'For one user and one audience or computed trait, each change has a later `timestamp` than the previous one. Deliveries may arrive in any order, so keep the newest.',
      'A new audience sends one payload for each member, and after that only changes.',
      '`userId` is always present; `anonymousId` never is. If a change is sent more than once, its `messageId` is the same.',
      'When a user is deleted, only the deletion notice is sent: no changes in audiences or computed traits are sent for that user.',
    ]),
  ]
}

function bodyOf(computation: Audience | ComputedTrait, value: Json, number: number): string {
  const at = AT + number
  const change = { computation, userId: 'u1', value, number, at, syncId: null, now: at }
  return webhookPayload(identifyOf(change).event)
}
