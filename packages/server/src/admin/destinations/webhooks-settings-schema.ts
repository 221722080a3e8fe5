import { LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { PauseResponse } from './pause-schema.ts'
import { time } from '../api/schema-parts.ts'

// Both are for those who read the document. What counts is parseWebhooksSettings, which knows every
// rule and its remedy.

const closed = { additionalProperties: false }
const url = Type.String({
  maxLength: LIMITS.webhookUrlCharacters,
  description: 'http or https, without credentials and fragment.',
})
const successPolicy = Type.Enum(['any', 'each'], {
  description: 'A delivery is done when any webhook took it, or when each did.',
})

const WebhookRequest = Type.Object(
  {
    url,
    paused: Type.Optional(
      Type.Unsafe({ description: 'As it is shown. It changes nothing: see /pause and /resume.' }),
    ),
    headers: Type.Optional(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        maxProperties: LIMITS.headersPerWebhook,
        description:
          'Static headers, texts by name. A value as it is shown, {"set": true}, keeps the stored one.',
      }),
    ),
  },
  closed,
)

/** Settings as they are given. */
export const SettingsRequest = Type.Unsafe<unknown>(
  Type.Object(
    {
      webhooks: Type.Optional(
        Type.Array(WebhookRequest, { minItems: 1, maxItems: LIMITS.webhooksPerDestination }),
      ),
      webhookUrl: Type.Optional(
        Type.String({ description: 'In place of webhooks: one URL without headers.' }),
      ),
      sharedSecret: Type.Optional(
        Type.Unsafe({
          type: ['string', 'null', 'object'],
          minLength: 1,
          maxLength: 1024,
          description: 'Keys the signatures; null for none. As it is shown, it stays what it is.',
        }),
      ),
      successPolicy: Type.Optional(successPolicy),
    },
    closed,
  ),
)

/** Settings as they are shown. */
export const SettingsResponse = Type.Object({
  sharedSecret: Type.Object({
    set: Type.Boolean(),
    last4: Type.Optional(Type.String()),
    previousUntil: Type.Optional({
      ...time,
      description: 'Until then webhook-signature carries that of the secret before, too.',
    }),
  }),
  webhooks: Type.Array(
    Type.Object({
      url,
      headers: Type.Record(Type.String(), Type.Object({ set: Type.Literal(true) })),
      paused: PauseResponse,
    }),
  ),
  successPolicy,
})
