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
import { code, fence, grouped, list, page, plain, table } from '../markdown.ts'

/** One sentence about each type of call, without its full stop. */
const CALL_SUMMARIES: Readonly<Record<EventType, string>> = {
  identify: 'Tells who a user is, and sets traits of the profile',
  track: 'Tells what a user did',
  page: 'Tells which page of a site a user saw',
  screen: 'Tells which screen of an app a user saw',
  group: 'Tells which company, team or other group a user belongs to',
  alias: 'Tells that two ids are the same user',
}

/** A batch of three calls, the last of which lacks its event name. */
const BATCH_EXAMPLE: JsonObject = {
  context: { library: { name: 'shop-backend', version: '2.4.0' } },
  batch: [
    { type: 'identify', ...CALL_EXAMPLES.identify },
    { type: 'track', ...CALL_EXAMPLES.track },
    { type: 'track', userId: 'u1', messageId: 'example-refused' },
  ],
}

/** docs/reference/ingestion-api.md: how applications send calls. */
export function ingestionApiPage(): string {
  return page(
    '# The ingestion API',
    'Applications send their calls to the ingestion API: `POST` with a JSON body. Every response is a JSON object. A **200 means that the calls are on disk**: they survive a power cut, and each of them is delivered to the destinations of its source, or has a decision that says why not.',
    'What your receiver gets is in [the webhook payload](webhook-payload.md).',
    '## Try it',
    'The commands of this page need a service and a write key. Start a service in one terminal:',
    fence('sh background', 'npx hookline start --data-dir ./data --port 4800'),
    'Create a source in another one. It prints its write key. Put it in place of `wk_…` in the commands below.',
    fence('sh', 'npx hookline sources create "My shop"'),
    ...authentication(),
    ...paths(),
    '## Fields of a call',
    'Types in the column on the right use the field. Any call may have it. `null` counts as absent, and so does `""` in an id and in `event`.',
    fieldsTable(),
    otherFieldsTable(),
    'Further fields are stored with the call. They are in its trace, and are not delivered.',
    ...callSections(),
    ...batches(),
    ...integrations(),
    ...timestamps(),
    ...duplicates(),
    '## Limits',
    table(['what', 'limit', 'setting', 'code beyond it'], limitRows()),
    'Sizes are in bytes. A call is measured as it is stored: with the `context` and `integrations` of its batch, and without `writeKey`. A request is measured after decompression.',
    `A source may have a rate limit: \`npx hookline sources update src_… --rate-limit 100\` permits 100 calls per second. Each call of a batch counts. A request passes while there is room for one call, and what it takes beyond that delays the next one. Other requests get 429 \`rate_limited\` with \`Retry-After\`, before their bodies are parsed.`,
    '## Compression and encoding',
    list([
      'A body is JSON in UTF-8, with or without a byte order mark, whatever its `Content-Type` says. Bytes that are not UTF-8 become U+FFFD, which may make two keys one, and the trace has the mark `characters_lost`; in an id, they cost the call (`id_not_unicode`).',
      '`Content-Encoding` may be `gzip`, `deflate` or `br`. Another encoding is refused with `invalid_json`.',
      'A body may be chunked.',
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
    'A write key names the source of a call. It is public: it permits to send calls, and nothing else. Hookline looks for it in this order, and the first one that it finds counts:',
    table(
      ['where', 'example'],
      [
        ['user name of Basic, with or without the colon', code('Authorization: Basic d2tf…')],
        ['Bearer', code('Authorization: Bearer wk_…')],
        ['header', code('X-Write-Key: wk_…')],
        ['query', code('/v1/track?writeKey=wk_…')],
        ['body', '`writeKey` of the call or of the batch, else of the first call of the batch'],
      ],
    ),
    fence('sh', curl('/v1/track', call)),
    fence('sh', curl('/v1/track', call, { key: "-H 'Authorization: Bearer wk_…'" })),
    fence('sh', curl('/v1/track', call, { key: "-H 'X-Write-Key: wk_…'" })),
    fence('sh', curl('/v1/track?writeKey=wk_…', call, { key: '' })),
    fence('sh', curl('/v1/track', { writeKey: 'wk_…', ...call }, { key: '' })),
    'Prefer a header: Hookline then refuses a wrong key before the body arrives, and a query ends up in the logs of proxies. In a body of 16 KB or more, write the key without escapes.',
    'Browsers may send calls from any site: the routes of this page support CORS.',
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
    'All of them take `POST`, with and without a slash at the end. `POST /v1/m`, where client libraries send metrics of their own, responds with success and ignores the body. `GET /v1/projects/:writeKey/settings` is for client libraries in browsers and on phones: it shows where to send calls.',
  ]
}

function batches(): string[] {
  const refused = { ...BATCH_EXAMPLE }
  return [
    '## Batches',
    'A batch has the calls in `batch`, each with its `type`. Its fields `context` and `integrations` are added to each call: where both have a key, that of the call wins. `sentAt` and `writeKey` are for all calls.',
    'Valid calls are stored even if others are refused. The response is 200, and `rejected` lists the others. If no call can be stored, the response is 400 with the code of the first one.',
    fence('sh', curl('/v1/batch', refused)),
    fence(
      'text',
      '{"success":true,"rejected":[{"index":2,"messageId":"example-refused","code":"event_not_defined","message":"A track call has no event name."}]}',
    ),
    'With `X-Strict-Mode: 1`, one call that is refused refuses the whole batch, and nothing is stored. The mode also refuses a `timestamp` that cannot be read, with `timestamp_invalid`.',
    fence('sh', curl('/v1/batch', refused, { more: ["-H 'X-Strict-Mode: 1'"] })),
  ]
}

function integrations(): string[] {
  return [
    '## Which destinations',
    '`integrations` of a call decides which destinations of its source get it. Without it, all do. `true` or an object enables, `false` disables. The most specific key decides: the id of a destination, then `Webhooks`, which stands for all of them, then `All` (or `all`). Keys are case sensitive.',
    fence(
      'sh',
      curl('/v1/track', {
        userId: 'u1',
        event: 'Internal Visit',
        integrations: { All: false },
      }),
    ),
    'A call that no destination gets is stored all the same. Its trace says `integrations`.',
  ]
}

function timestamps(): string[] {
  const minutes =
    SETTINGS.clockSkewToleranceMs.parse(SETTINGS.clockSkewToleranceMs.default) / 60_000
  return [
    '## Timestamps',
    list([
      'Without `timestamp`, a call happened when it was received.',
      'With one, it happened then: a past timestamp imports history. It is kept to the millisecond.',
      `If \`sentAt\` differs by more than ${minutes} minutes (\`clockSkewToleranceMs\`) from the time of the server, the clock of the client is wrong, and \`timestamp\` is corrected by the difference.`,
      'A `sentAt` before `timestamp`, or more than 10 years from the time of the server, is no measure of a clock: a restored queue sent an old one, or it is a zero. Nor is one in the future, by the clock of the server, that is more than 30 days after `timestamp`, one that is only a date, or one that cannot be read. Then `timestamp` is kept as it is, but is at most the time of receipt.',
      'A text is ISO 8601: with `Z`, `UTC`, `+00:00`, `+0000` or without a zone, which means UTC; with any fraction; or a date only. The name of a zone is read only after an offset: `2026-11-21 10:30:00 +0100 CET`, as Go writes it, or `2026-11-21T10:30:00+01:00[Europe/Berlin]`. A number is seconds since 1970, or milliseconds from 100,000,000,000 on.',
      'What cannot be read is replaced by the time of receipt. The trace of the event then has the mark `timestamp_unreadable`.',
      'What is delivered is always `YYYY-MM-DDTHH:mm:ss.sssZ`. The trace has the text of the client as `originalTimestamp`.',
    ]),
    '`context.ip` is the address of the client if the call came from a browser with CORS, or has `"direct": true` in its `context`, and no `ip`. Behind a proxy, set `trustedProxies`.',
  ]
}

function duplicates(): string[] {
  const hours = SETTINGS.dedupeWindowMs.parse(SETTINGS.dedupeWindowMs.default) / 3_600_000
  return [
    '## Repeated calls',
    `A client that got no response sends the call again, with the same \`messageId\`. A second call with the same source and \`messageId\` within ${hours} hours (\`dedupeWindow\`) gets a 200, and is not delivered again. That also holds after a restart, and for whole batches. Without a \`messageId\`, Hookline cannot recognise the call, and delivers it twice.`,
    'Retry after no response, 429, 500 and 503. If there is a `Retry-After`, wait for so many seconds. Other errors will come again: do not retry.',
    '## What a 200 means',
    list([
      'Every call that is not in `rejected` is on disk, and survives a crash of the process and a power cut.',
      'It is then decided for each destination of the source. `npx hookline trace evt_…` shows the decisions, deliveries and attempts.',
      'It does not mean that a receiver has the event: deliveries are retried for up to four hours.',
      'Two kinds of calls get a 200 and are not stored: duplicates, and calls of users that a deletion request suppressed.',
    ]),
  ]
}

function responses(): string[] {
  return [
    '## Responses',
    'The body of an error has the same four fields always. A client reads `code`; `message` and `error` are for people.',
    fence('text', JSON.stringify(ingestError('unknown_write_key'))),
    statusesTable(),
    'Each error has a code, too: [Errors](errors.md#error-codes-of-the-ingestion-api) says what to do about each.',
    'Errors that come from the HTTP server itself have a header `x-request-id`, which is in the log of the service, too.',
  ]
}

type LimitName = Extract<SettingName, `max${string}` | 'requestTimeoutMs'>

function limitRows(): string[][] {
  const of = (name: LimitName): string[] => [
    grouped(SETTINGS[name].parse(SETTINGS[name].default)),
    code(nameOf(name)),
  ]
  return [
    ['one call', ...of('maxMessageBytes'), code('message_too_large')],
    ['one request', ...of('maxBatchBytes'), code('batch_too_large')],
    ['calls of a batch', ...of('maxBatchMessages'), code('too_many_messages')],
    [
      plain('what context and integrations add to all calls of a batch'),
      ...of('maxBatchGrowthBytes'),
      code('batch_too_large'),
    ],
    ['levels of objects and arrays in a call', ...of('maxNestingLevels'), code('nested_too_deep')],
    [
      'characters of a `messageId`',
      grouped(LIMITS.messageIdCharacters),
      'none',
      code('message_id_too_long'),
    ],
    ['all headers of a request', '16,384', 'none', code('headers_too_large')],
    ['time for a request to arrive, in ms', ...of('requestTimeoutMs'), code('request_timeout')],
  ]
}

const KINDS: Readonly<Record<CallField['kind'], string>> = {
  id: 'string or number',
  text: 'string',
  object: 'object',
}

/** The fields with a fixed type. */
function fieldsTable(): string {
  const rows = Object.entries<CallField>(CALL_FIELDS).map(([name, field]) => [
    code(name),
    KINDS[field.kind],
    plain(field.meaning),
    code(field.code),
    field.usedBy.length === EVENT_TYPES.length ? 'all' : field.usedBy.join(', '),
  ])
  return table(['field', 'type', 'meaning', 'code for another type', 'used by'], rows)
}

/** The fields that are not validated. */
function otherFieldsTable(): string {
  const rows = Object.entries(OTHER_CALL_FIELDS).map(([name, meaning]) => [code(name), meaning])
  return [
    table(['other field', 'meaning'], rows),
    'A number as an id becomes a text: `7`, `7.0` and `"7"` are the same id. A number that JSON parsers round is refused with `id_not_exact`: beyond 9007199254740991 it would be the id of another user or call. An id must be valid Unicode in UTF-8, else it is refused with `id_not_unicode`, and it has no control characters (U+0000 to U+001F, U+007F to U+009F), else it is refused with `id_control_character`. Elsewhere, a number beyond 2^53 that JSON parsers round, or one such as `1e-400` that becomes 0, is accepted, and the trace has the mark `precision_lost`. `NaN`, `Infinity` and numbers such as `1e400`, which are too large for JSON parsers, cost the call that has them (`number_not_finite`).',
  ].join('\n\n')
}

/** What each type is for and requires, with an example. */
function callSections(): string[] {
  return EVENT_TYPES.flatMap((type) => [
    `### ${type}`,
    `${CALL_SUMMARIES[type]}. ${requirements(type)}`,
    fence('sh', curl(`/v1/${type}`, CALL_EXAMPLES[type])),
  ])
}

function requirements(type: EventType): string {
  const required = Object.entries<CallField>(CALL_FIELDS).flatMap(([name, field]) =>
    field.required?.by.includes(type) ? [`\`${name}\` (else \`${field.required.code}\`)`] : [],
  )
  const person = type === 'alias' ? [] : ['`userId` or `anonymousId` (else `no_user_anon_id`)']
  return `Requires ${[...person, ...required].join(' and ')}.`
}

/** What the client should do after a response with this status. */
const STATUSES: Readonly<Record<number, string>> = {
  200: 'Stored. `rejected` lists calls of a batch that were not.',
  400: 'Nothing was stored. Mend the request: it will be refused again. Sizes, too, get 400 and not 413, because some clients retry a 413 for ever.',
  401: 'Nothing was stored. Use the write key of an existing source.',
  403: 'Nothing was stored. The source is disabled.',
  404: 'There is no such path.',
  405: '`Allow` has the methods of this path.',
  408: 'The request did not arrive in time. Send it again.',
  421: 'Not at the paths of this page: `/metrics` and `/readyz` only.',
  429: 'Nothing was stored. Send it again after `Retry-After`.',
  431: 'The headers are too large.',
  500: 'A bug. Send it again.',
  503: 'Nothing was stored: the disk is full, or memory is. Send it again after `Retry-After`.',
}

function statusesTable(): string {
  const statuses = new Set([200, ...Object.values(INGEST_CODES).map(({ status }) => status)])
  const rows = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => [String(status), STATUSES[status] ?? missing(status)])
  return table(['status', 'meaning'], rows)
}

function missing(status: number): never {
  throw new Error(`The status ${status} has no meaning in the table.`)
}

interface CurlOptions {
  /** Arguments that send the write key. */
  readonly key?: string
  /** Further arguments. */
  readonly more?: readonly string[]
}

/** A command that sends a body as JSON. A reader pastes it into a shell. */
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
