import {
  type Audience,
  CALL_EXAMPLES,
  type ComputedTrait,
  deletionPayload,
  type Event,
  EVENT_TYPES,
  type Json,
  PAYLOAD_FIELDS,
  type PayloadType,
  RESERVED_HEADERS,
  WEBHOOK_PAYLOAD_SCHEMA,
  webhookPayload,
} from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { identifyOf } from '../../../packages/server/src/audiences/evaluation/announcement.ts'
import { code, fence, list, page, plain, table } from '../markdown.ts'

/** docs/reference/webhook-payload.md: what a receiver gets. */
export function webhookPayloadPage(): string {
  return page(
    '# The webhook payload',
    'Hookline sends each event to your webhooks as one `POST` with one JSON object. This page is for people who write the receiver. [Receivers](../guides/receivers.md) shows how to verify the signature in several languages.',
    '## The request',
    headersTable(),
    'Respond with 2xx within 5 seconds, and do slow work afterwards. Hookline retries after 5xx, 408, 425, 429, a timeout or a failed connection, for up to four hours; deletion notices for 7 days. Any other response is final, redirects too.',
    list([
      '**At least once.** You may get a delivery twice. `webhook-id` is the same then: keep it, and ignore the second one.',
      '**In no order.** Compare `timestamp` if the order matters.',
      'The response body does not matter. Hookline keeps its first 4 KB for the operator.',
    ]),
    ...signatures(),
    '## Fields of every payload',
    table(
      ['field', 'type', 'meaning'],
      [
        [code('version'), 'integer', 'Always 1. A deletion notice has none.'],
        [code('type'), 'string', EVENT_TYPES.map(code).join(', ') + ' or `delete`'],
      ],
    ),
    'Fields come in the order of the tables. The fields `integrations`, `sentAt`, `receivedAt` and `writeKey` of a call are never sent, nor are fields of a call that Hookline does not know. Each example is exactly the body of a delivery: the one that the example of the same type in [the ingestion API](ingestion-api.md) causes.',
    ...EVENT_TYPES.flatMap(section),
    ...deletions(),
    '## Changes of audiences and computed traits',
    'A change arrives as an `identify` payload. Its only trait has the key of the audience or computed trait: its name in snake_case. `context.audience` or `context.computedTrait` says which one it is.',
    ...computedExamples(),
    ...others(),
    ...compatibility(),
  )
}

/** docs/reference/webhook-payload.schema.json */
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
  return table(['field', 'type', 'there', 'meaning'], rows)
}

function deletions(): string[] {
  const timestamp = '2026-11-21T09:40:00.000Z'
  return [
    '### delete',
    'The deletion notice: a user was deleted, so delete what you have of them. It has no `version`, no `messageId` and no `context`. Each destination sends its own, to all of its webhooks.',
    fieldsTable('delete'),
    fence('json', deletionPayload({ userId: 'u1', timestamp })),
    fence('json', deletionPayload({ anonymousId: 'visitor-8f2c', timestamp })),
    'An event of this user that was on its way may still arrive after the notice. Compare its `timestamp` with that of the notice.',
  ]
}

function others(): string[] {
  return [
    '## Test deliveries and replays',
    list([
      '`npx hookline destinations test dst_… --type track` sends a sample. It looks like an event: its `messageId` is `sample-track`, its `userId` is `sample-user`, and its `anonymousId` is `sample-visitor`. A sample of type `delete` is a deletion notice for `sample-user`: a receiver that deletes does it for a user that you do not have.',
      'A test delivery of a past event (`--event evt_…`) has the same body and the same `webhook-id` as its delivery.',
      'A replay has the same body and the same `webhook-id` as the first delivery, and a header `X-Hookline-Replay`. A receiver that ignores known ids ignores replays, too.',
    ]),
  ]
}

function compatibility(): string[] {
  return [
    '## Absent and unknown fields',
    list([
      'A field that may be absent is left out: it is never `null`. `context`, `properties` and `traits` are `{}` if the call had none.',
      'What is inside `context`, `properties` and `traits` comes from your applications. Any value of JSON is possible there, `null` too.',
      '**Ignore fields that you do not know**, and do not reject them. Version 1 may get further fields at any time.',
      '**Respond 2xx to a type that you do not know**, and do nothing. Otherwise its deliveries end as rejected.',
      'Text is Unicode as the client sent it. Do not take the order of fields for granted.',
    ]),
    '## Versions',
    'A change that could break a receiver gets another `version`: a field that is removed, renamed, or has another type or meaning. Such a version will be a choice of the destination, so receivers of version 1 keep it. New fields, new types and new headers are no such change.',
    '## JSON Schema',
    'Every service has the schema of the payload at `/v1/webhook-payload.schema.json` (draft 2020-12). [webhook-payload.schema.json](webhook-payload.schema.json) is the same file. It allows unknown fields. Of a type that it does not know, it says that it is invalid: so look at `type` first.',
  ]
}

/** Every header that Hookline sets, with its meaning. A test compares it with real deliveries. */
export const DELIVERY_HEADERS: Readonly<Record<string, string>> = {
  'User-Agent': '`Hookline/1.0`.',
  'Content-Type': '`application/json`. The body is UTF-8.',
  'Accept-Encoding': '`identity`: do not compress the response.',
  'webhook-id':
    '`msg_…`: one for each event and destination. It is the same on every attempt and replay, and for all webhooks of a destination.',
  'webhook-timestamp': 'When the attempt was made: Unix time in seconds.',
  'X-Hookline-Attempt': 'The number of the attempt on this webhook, from 1.',
  'X-Hookline-Replay': '`rpl_…`: only on attempts of a replay.',
  'X-Signature': 'Only with a shared secret: see below.',
  'webhook-signature': 'Only with a shared secret: see below.',
}

function headersTable(): string {
  const rows = Object.entries(DELIVERY_HEADERS).map(([name, meaning]) => [code(name), meaning])
  return [
    table(['header', 'meaning'], rows),
    'Besides, there are `Host`, `Connection`, `Content-Length`, and the static headers of the webhook. Names of headers are not case sensitive.',
    `A static header with one of these names is refused: ${Object.values(RESERVED_HEADERS).flat().map(code).join(', ')}.`,
  ].join('\n\n')
}

const SECRET = 'a secret of this page'
const ID = 'msg_01m81grcbgedzt0s6b232e4pp8'
const TIMESTAMP = 1_795_253_460

/** How the two signatures are made, with values that a reader can compute again. */
function signatures(): string[] {
  const event = { type: 'track', receivedAt: '', ...CALL_EXAMPLES.track } as unknown as Event
  const body = webhookPayload(event)
  return [
    '## Signatures',
    'A destination with a shared secret signs every request, in two ways. Verify one of them. `webhook-signature` is better: it covers the id and the time, so a stranger cannot send an old request again.',
    table(
      ['header', 'value'],
      [
        [
          code('X-Signature'),
          'HMAC-SHA1 of the body, as 40 lower-case hexadecimal digits. The key is the shared secret in UTF-8.',
        ],
        [
          code('webhook-signature'),
          '`v1,` and HMAC-SHA256 in Base64 of `webhook-id`, a dot, `webhook-timestamp`, a dot, and the body ([Standard Webhooks](https://www.standardwebhooks.com)). The key is the shared secret in UTF-8. If the secret begins with `whsec_`, the key is what follows, decoded from Base64.',
        ],
      ],
    ),
    list([
      'Verify the bytes of the body as they arrived, before you parse them. `JSON.stringify(JSON.parse(body))` in JavaScript gives the same bytes; other languages do not.',
      'Compare in constant time.',
      'Refuse a `webhook-timestamp` that is more than 5 minutes away from now.',
      'While a shared secret is replaced, `webhook-signature` has two signatures, with a space between them: one of them must be right. `X-Signature` is made with the new secret then.',
    ]),
    `For the track payload below, the shared secret \`${SECRET}\`, and these two headers`,
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

/** What tells a change of an audience or of a computed trait, with an example of each. */
function computedExamples(): string[] {
  return [
    'Who enters an audience:',
    fence('json', bodyOf(AUDIENCE, true, 1)),
    'Who leaves it:',
    fence('json', bodyOf(AUDIENCE, false, 2)),
    'A new value of a computed trait:',
    fence('json', bodyOf(TRAIT, 39.95, 1)),
    table(
      ['field of `context.audience` and `context.computedTrait`', 'meaning'],
      [
        [code('id'), 'The id: `aud_…` or `trt_…`.'],
        [code('name'), 'The name. It may change.'],
        [code('key'), 'The name of the trait. It never changes.'],
        [code('syncId'), '`syn_…` if a full sync found the change, else `null`.'],
      ],
    ),
    list([
      'The value of an audience is `true` or `false`. That of a computed trait is any value of JSON: a number, a text, a list, or `null` when nothing is left. [Operators and functions](audience-operators.md) says which.',
      'Each change has a later `timestamp` than the one before, for one user and one audience or computed trait. Keep the newest, because deliveries have no order.',
      'When an audience is created, there is one payload for each member; after that, only for changes.',
      'There is a `userId` always, and no `anonymousId`. The same change has the same `messageId`.',
      'Nobody leaves an audience because of a deletion request: there is only the deletion notice.',
    ]),
  ]
}

function bodyOf(computation: Audience | ComputedTrait, value: Json, number: number): string {
  const at = AT + number
  const told = { computation, userId: 'u1', value, number, at, syncId: null, now: at }
  return webhookPayload(identifyOf(told).event)
}
