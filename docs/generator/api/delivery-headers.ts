import { CALL_EXAMPLES, type Event, RESERVED_HEADERS, webhookPayload } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { code, fence, list, table } from '../markdown.ts'

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

export function headersTable(): string {
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
export function signatures(): string[] {
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
