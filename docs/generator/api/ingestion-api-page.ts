import {
  CALL_EXAMPLES,
  CALL_FIELDS,
  type CallField,
  EVENT_TYPES,
  type EventType,
  INGEST_CODES,
  ingestError,
  type JsonObject,
  LIMITS,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'
import { ENDPOINTS } from '../../../packages/server/src/ingest/endpoints.ts'
import { nameOf } from '../../../packages/server/src/config.ts'
import { SETTINGS, type SettingName } from '../../../packages/server/src/settings.ts'
import { code, fence, formatCount, list, page, plain, table } from '../markdown.ts'

/** The purpose of each type of call, without the full stop. */
const CALL_SUMMARIES: Readonly<Record<EventType, string>> = {
  identify: "Identifies a user, and sets the user's traits",
  track: 'Records an action by a user',
  page: 'Records that a user viewed a page of a site',
  screen: 'Records that a user viewed a screen of an app',
  group: 'Associates a user with a company, team or other group',
  alias: 'Links two ids of the same user',
}

/** A batch of three calls; the last one has no event name. */
const BATCH_EXAMPLE: JsonObject = {
  context: { library: { name: 'shop-backend', version: '2.4.0' } },
  batch: [
    { type: 'identify', ...CALL_EXAMPLES.identify },
    { type: 'track', ...CALL_EXAMPLES.track },
    { type: 'track', userId: 'u1', messageId: 'example-rejected' },
  ],
}

/** docs/reference/ingestion-api.md: how applications send calls. */
export function ingestionApiPage(): string {
  return page(
    '# The ingestion API',
    'Applications send calls to the ingestion API as `POST` requests with a JSON body. Every response is a JSON object. A **200 means that the calls are on disk** and survive a power failure. Each call is then delivered to the destinations of its source. If a call is not delivered to a destination, the trace of its event shows why.',
    '[The webhook payload](webhook-payload.md) describes the requests to your receiver.',
    '## Send an example call',
    'The commands on this page need a running service and a write key. Start a service in one terminal:',
    fence('sh background', 'npx hookline start --data-dir ./data --port 4800'),
    'Create a source in another terminal. In the commands below, replace `wk_…` with the write key that the command prints.',
    fence('sh', 'npx hookline sources create "My shop"'),
    ...authentication(),
    ...paths(),
    '## Fields of a call',
    'A call of any type may contain any of these fields; the last column lists the types that use them. `null` counts as absent, and so does `""` for ids and `event`.',
    fieldsTable(),
    otherFieldsTable(),
    'Unknown fields are stored and shown in the trace, but are delivered only in the `full` format.',
    ...callSections(),
    ...batches(),
    ...integrations(),
    ...timestamps(),
    ...duplicates(),
    '## Limits',
    table(['resource', 'limit', 'setting', 'error code'], limitRows()),
    'The size of a call includes the `context` and `integrations` of its batch, but not `writeKey`. The size of a request is measured after decompression.',
    `A source may have a rate limit: \`npx hookline sources update src_… --rate-limit 100\` allows 100 calls per second on each node. Each call in a batch counts. A batch is accepted if at least one call is within the limit; the excess counts against later requests. Requests beyond the limit get 429 \`rate_limited\` with \`Retry-After\`.`,
    '## Compression and encoding',
    list([
      'A body is JSON in UTF-8, with or without a byte order mark. `Content-Type` is ignored.',
      'Bytes that are not UTF-8 become U+FFFD, and the trace is flagged `characters_lost`. As a result, two keys in an object may become identical. In an id, such bytes are rejected with `id_not_unicode`.',
      '`Content-Encoding` may be `gzip`, `deflate`, `br` or `identity`. Other encodings are rejected with `invalid_json`.',
      'Chunked bodies are supported.',
    ]),
    fence(
      'sh',
      `echo '{"userId":"u1","event":"Compressed"}' | gzip | \\\n  curl -u wk_…: http://127.0.0.1:4800/v1/track -H 'Content-Encoding: gzip' --data-binary @-`,
    ),
    ...responses(),
  )
}

function authentication(): string[] {
  const call = { userId: 'u1', event: 'Order Completed' }
  return [
    '## Authentication',
    'A write key identifies the source of a call. It is public, and only allows sending calls. Hookline uses the first key found, in this order:',
    table(
      ['location', 'example'],
      [
        [
          'user name of Basic authentication, with or without the colon',
          code('Authorization: Basic d2tf…'),
        ],
        ['Bearer', code('Authorization: Bearer wk_…')],
        ['header', code('X-Write-Key: wk_…')],
        ['query', code('/v1/track?writeKey=wk_…')],
        [
          'body',
          '`writeKey` of the call or of the batch, otherwise of the first call in the batch',
        ],
      ],
    ),
    fence('sh', curl('/v1/track', call)),
    fence('sh', curl('/v1/track', call, { key: "-H 'Authorization: Bearer wk_…'" })),
    fence('sh', curl('/v1/track', call, { key: "-H 'X-Write-Key: wk_…'" })),
    fence('sh', curl('/v1/track?writeKey=wk_…', call, { key: '' })),
    fence('sh', curl('/v1/track', { writeKey: 'wk_…', ...call }, { key: '' })),
    'Prefer a header: an invalid key is then rejected before the body is read. A key in the query ends up in proxy logs. In a body of 16 KiB or more, write the key without JSON escapes.',
    'Browsers can send calls from any site: all paths for calls support CORS.',
  ]
}

function paths(): string[] {
  const routes = [...Map.groupBy(ENDPOINTS, ({ route }) => route)]
  return [
    '## Paths',
    table(
      ['path', 'also', 'body'],
      routes.map(([route, all]) => [
        code(route),
        all
          .filter((each) => each.path !== route)
          .map((each) => code(each.path))
          .join(', '),
        all[0]!.type === undefined ? '`{"batch": [call, …]}`' : 'one call',
      ]),
    ),
    'All paths in the table accept `POST`, with or without a trailing slash. `POST /v1/m` is for the internal metrics of client libraries: it always succeeds, and ignores the body. `GET /v1/projects/:writeKey/settings` is for client libraries in browsers and on phones: it returns the address for calls.',
  ]
}

function batches(): string[] {
  const refused = { ...BATCH_EXAMPLE }
  return [
    '## Batches',
    "`batch` contains the calls, each with its `type`. The `context` and `integrations` of the batch are merged into each call; if both contain the same key, the call's value is used. `sentAt` and `writeKey` apply to all calls.",
    'Valid calls are stored even if others are invalid. The response is 200, and `rejected` lists the invalid ones. If no call is valid, the response is 400 with the code of the first one, and also has `rejected`.',
    fence('sh', curl('/v1/batch', refused)),
    fence(
      'text',
      '{"success":true,"rejected":[{"index":2,"messageId":"example-rejected","code":"event_not_defined","message":"A track call has no event name."}]}',
    ),
    'With `X-Strict-Mode: 1`, one invalid call rejects the whole batch, and nothing is stored. An unreadable `timestamp` is rejected as well, with `timestamp_invalid`.',
    fence('sh', curl('/v1/batch', refused, { more: ["-H 'X-Strict-Mode: 1'"] })),
  ]
}

function integrations(): string[] {
  return [
    '## Selecting destinations',
    '`integrations` selects the destinations that get a call. By default, all destinations of its source get it. `true` or an object includes a destination, and `false` excludes it. The most specific key applies: the id of a destination, then `Webhooks`, which means all destinations, then `All` (or `all`). Keys are case-sensitive.',
    fence(
      'sh',
      curl('/v1/track', {
        userId: 'u1',
        event: 'Internal Visit',
        integrations: { All: false },
      }),
    ),
    'A call that `integrations` excludes from all destinations is still stored. Its trace shows the reason `integrations`.',
  ]
}

function timestamps(): string[] {
  const minutes =
    SETTINGS.clockSkewToleranceMs.parse(SETTINGS.clockSkewToleranceMs.default) / 60_000
  return [
    '## Timestamps',
    list([
      'Without `timestamp`, the time of receipt is used. Use a past `timestamp` to import history. Timestamps have millisecond precision.',
      `If \`sentAt\` differs from the server's time by more than ${minutes} minutes (\`${nameOf('clockSkewToleranceMs')}\`), Hookline assumes that the client's clock is wrong, and corrects \`timestamp\` by the difference, but never to a time after receipt.`,
      "`timestamp` is not corrected if `sentAt` is unreadable or only a date. Nor is it corrected if `sentAt` is outside the tolerance and implausible. `sentAt` is implausible if it is before `timestamp`, if it is more than 10 years from the server's time, or if it is both in the future and more than 30 days after `timestamp`. In all of these cases, a `timestamp` in the future is replaced by the time of receipt.",
      'A string is ISO 8601: a date, or a date and time with an optional fraction of a second. The zone is `Z`, `UTC`, `GMT` or any offset, such as `+01:00` or `+0100`; without a zone, the time is in UTC. Other zone names are allowed only after an offset: `2026-11-21 10:30:00 +0100 CET`, as Go writes it, or `2026-11-21T10:30:00+01:00[Europe/Berlin]`.',
      'A number is Unix time in seconds, or in milliseconds if at least 100,000,000,000.',
      'An unreadable `timestamp` is replaced by the time of receipt, and the trace is flagged `timestamp_unreadable`.',
      'Delivered timestamps are always `YYYY-MM-DDTHH:mm:ss.sssZ`. The trace contains the original text as `originalTimestamp`.',
    ]),
    'Hookline sets a missing `context.ip` to the client\'s address if the request has an `Origin` header, as requests from browsers do, or if the call has `"direct": true` in its `context`. Behind a proxy, set `trustedProxies`.',
  ]
}

function duplicates(): string[] {
  const hours = SETTINGS.dedupeWindowMs.parse(SETTINGS.dedupeWindowMs.default) / 3_600_000
  return [
    '## Repeated calls',
    `If you get no response, send the call again with the same \`messageId\`. A second call with the same source and \`messageId\` within ${hours} hours (\`dedupeWindow\`) gets a 200, and is not delivered again, even after a restart. Without a \`messageId\`, a repeated call is delivered twice.`,
    'Retry after 408, 429 and 5xx, and if you get no response. If the response has `Retry-After`, wait that many seconds first. Do not retry other errors: they are permanent.',
    '## Meaning of a 200',
    list([
      'Every call that is not in `rejected` is on disk, and survives a crash or a power failure, with the two exceptions below.',
      'Hookline then decides for each destination of the source whether to deliver it. `npx hookline trace evt_…` shows the decisions, deliveries and attempts.',
      `A 200 does not mean that a receiver got the event: deliveries are retried for up to ${LIMITS.retryWindowMs / 3_600_000} hours by default.`,
      'Two kinds of calls get a 200 but are not stored: duplicates, and calls for users suppressed by a deletion request.',
    ]),
  ]
}

function responses(): string[] {
  return [
    '## Responses',
    'An error always has these four fields. `code` is for programs; `message` and `error` are for people.',
    fence('text', JSON.stringify(ingestError('unknown_write_key'))),
    statusesTable(),
    '[Errors](errors.md#ingestion-api-error-codes) lists all codes, with a remedy for each.',
    'Some errors have an `x-request-id` header. The service log contains the id of a 500, unless the same error has been logged in the last 10 seconds.',
  ]
}

type LimitName = Extract<SettingName, `max${string}` | 'requestTimeoutMs'>

function limitRows(): string[][] {
  const of = (name: LimitName): string[] => [
    formatCount(SETTINGS[name].parse(SETTINGS[name].default)),
    code(nameOf(name)),
  ]
  return [
    ['bytes in a call', ...of('maxMessageBytes'), code('message_too_large')],
    ['bytes in a request', ...of('maxBatchBytes'), code('batch_too_large')],
    ['calls in a batch', ...of('maxBatchMessages'), code('too_many_messages')],
    [
      plain('bytes added to a batch by copying its context and integrations into each call'),
      ...of('maxBatchExpansionBytes'),
      code('batch_too_large'),
    ],
    ['levels of objects and arrays in a call', ...of('maxNestingLevels'), code('nested_too_deep')],
    [
      'characters in a `messageId`',
      formatCount(LIMITS.messageIdCharacters),
      'none',
      code('message_id_too_long'),
    ],
    ['bytes in all headers of a request', '16,384', 'none', code('headers_too_large')],
    ['time for a request to arrive, in ms', ...of('requestTimeoutMs'), code('request_timeout')],
  ]
}

const KINDS: Readonly<Record<CallField['kind'], string>> = {
  id: 'string or number',
  text: 'string',
  object: 'object',
}

function fieldsTable(): string {
  const rows = Object.entries<CallField>(CALL_FIELDS).map(([name, field]) => [
    code(name),
    KINDS[field.kind],
    plain(field.meaning),
    code(field.code),
    field.usedBy.length === EVENT_TYPES.length ? 'all' : field.usedBy.join(', '),
  ])
  return table(['field', 'type', 'meaning', 'code for the wrong type', 'used by'], rows)
}

/** The fields that are not validated. */
function otherFieldsTable(): string {
  const rows = Object.entries(OTHER_CALL_FIELDS).map(([name, meaning]) => [code(name), meaning])
  return [
    table(['other field', 'meaning'], rows),
    list([
      'A numeric id is converted to a string: `7`, `7.0` and `"7"` are the same id. A number beyond 9007199254740991, or one that JSON parsers would round, is rejected with `id_not_exact`, because it could become the id of another user or call.',
      'An id must be valid Unicode in UTF-8 (otherwise `id_not_unicode`), without control characters U+0000 to U+001F and U+007F to U+009F (otherwise `id_control_character`).',
      'In other fields, a number beyond 9007199254740991 that JSON parsers round, or one such as `1e-400` that becomes 0, is accepted, and the trace is flagged `precision_lost`.',
      'A call with `NaN`, `Infinity` or a number that is too large for JSON parsers, such as `1e400`, is rejected with `number_not_finite`.',
    ]),
  ].join('\n\n')
}

function callSections(): string[] {
  return EVENT_TYPES.flatMap((type) => [
    `### ${type}`,
    `${CALL_SUMMARIES[type]}. ${requirements(type)}`,
    fence('sh', curl(`/v1/${type}`, CALL_EXAMPLES[type])),
  ])
}

function requirements(type: EventType): string {
  const required = Object.entries<CallField>(CALL_FIELDS).flatMap(([name, field]) =>
    field.required?.by.includes(type) ? [`\`${name}\` (otherwise \`${field.required.code}\`)`] : [],
  )
  const person = type === 'alias' ? [] : ['`userId` or `anonymousId` (otherwise `no_user_anon_id`)']
  return `Requires ${[...person, ...required].join(' and ')}.`
}

/** The meaning of each status, and how the client should react. */
const STATUSES: Readonly<Record<number, string>> = {
  200: 'All calls are stored, except the calls in `rejected`, duplicates, and calls for suppressed users.',
  400: 'Nothing was stored. Fix the request before you send it again. A request that exceeds a size limit also gets 400, not 413, because some clients retry a 413 forever.',
  401: 'Nothing was stored. Use the write key of an existing source.',
  403: 'Nothing was stored. The source is disabled.',
  404: 'Not found.',
  405: 'Method not allowed. `Allow` lists the methods of the path.',
  408: 'The request did not arrive in time. Send it again.',
  421: 'The `Host` is not allowed. This applies only to `/metrics`, `/readyz` and `/v1/projects/:writeKey/settings`.',
  429: 'Nothing was stored. Send the request again after the time in `Retry-After`.',
  431: 'The headers are too large.',
  500: 'Internal error in Hookline. Send the request again.',
  503: 'Nothing was stored: the disk is full or failing, a memory limit was reached, or, in a cluster, NATS is unavailable or the node does not accept calls. Send the request again after the time in `Retry-After`.',
}

function statusesTable(): string {
  const statuses = new Set([200, ...Object.values(INGEST_CODES).map(({ status }) => status)])
  const rows = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => [String(status), STATUSES[status] ?? missing(status)])
  return table(['status', 'meaning'], rows)
}

function missing(status: number): never {
  throw new Error(`STATUSES has no meaning for the status ${status}.`)
}

interface CurlOptions {
  /** Arguments that send the write key. */
  readonly key?: string
  readonly more?: readonly string[]
}

/** A shell command that sends a body as JSON. */
function curl(
  path: string,
  body: JsonObject,
  { key = '-u wk_…:', more = [] }: CurlOptions = {},
): string {
  const url = `http://127.0.0.1:4800${path}`
  const json = JSON.stringify(body)
  if (json.includes("'")) throw new Error('The shell would end the text at an apostrophe.')
  const lines = [
    ['curl', key, path.includes('?') ? `'${url}'` : url].filter((word) => word !== '').join(' '),
    "-H 'Content-Type: application/json'",
    ...more,
    `-d '${json}'`,
  ]
  return lines.join(' \\\n  ')
}
