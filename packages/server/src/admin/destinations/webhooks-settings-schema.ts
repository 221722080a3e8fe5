import { LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { PauseResponse } from './pause-schema.ts'
import { time } from '../api/schema-parts.ts'

// These schemas are documentation. parseWebhooksSettings does the validation: it knows every rule and
// its remedy.

const closed = { additionalProperties: false }
const url = Type.String({
  maxLength: LIMITS.webhookUrlCharacters,
  description: 'An http or https URL without credentials and fragment.',
})
const successPolicy = Type.Enum(['any', 'each'], {
  description:
    'any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it.',
})

const WebhookRequest = Type.Object(
  {
    url,
    paused: Type.Optional(
      Type.Unsafe({ description: 'Accepted as it is shown, and ignored: see /pause and /resume.' }),
    ),
    headers: Type.Optional(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        maxProperties: LIMITS.headersPerWebhook,
        description:
          'Static headers: values by name. Headers that Hookline or the connection sets are refused. The value {"set": true}, as it is shown, keeps the stored value.',
      }),
    ),
  },
  closed,
)

/** Settings in a request. */
export const SettingsRequest = Type.Unsafe<unknown>(
  Type.Object(
    {
      webhooks: Type.Optional(
        Type.Array(WebhookRequest, { minItems: 1, maxItems: LIMITS.webhooksPerDestination }),
      ),
      webhookUrl: Type.Optional(
        Type.String({ description: 'Shorthand for webhooks: one URL without headers.' }),
      ),
      sharedSecret: Type.Optional(
        Type.Unsafe({
          type: ['string', 'null', 'object'],
          minLength: 1,
          maxLength: 1024,
          description:
            'The key of the signatures; null for no signatures. The object that responses show keeps the stored secret.',
        }),
      ),
      successPolicy: Type.Optional(successPolicy),
    },
    closed,
  ),
)

/** Settings in a response. */
export const SettingsResponse = Type.Object({
  sharedSecret: Type.Object({
    set: Type.Boolean(),
    last4: Type.Optional(Type.String()),
    previousUntil: Type.Optional({
      ...time,
      description:
        'Until then, webhook-signature also contains the signature of the previous secret.',
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
