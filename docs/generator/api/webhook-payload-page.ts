import {
  CALL_EXAMPLES,
  deletionPayload,
  type Event,
  EVENT_TYPES,
  PAYLOAD_FIELDS,
  type PayloadType,
  WEBHOOK_PAYLOAD_SCHEMA,
  webhookPayload,
} from '@hookline/protocol'
import { computedExamples } from './computed-examples.ts'
import { headersTable, signatures } from './delivery-headers.ts'
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
    'Every service has the schema of the payload at `/v1/webhook-payload.schema.json` (draft 2020-12), and its OpenAPI document at `/v1/openapi.json` describes the delivery under `webhooks`. [webhook-payload.schema.json](webhook-payload.schema.json) is the same file. It allows unknown fields. Of a type that it does not know, it says that it is invalid: so look at `type` first.',
  ]
}
