import Type from 'typebox'
import { attemptFields } from '../deliveries/delivery-schema.ts'
import { responses } from '../problems/responses.ts'
import { IdParams, nullable } from '../api/schema-parts.ts'
import { PAYLOAD_TYPES } from './sample-events.ts'

const {
  id: _id,
  round: _round,
  number: _number,
  url,
  replayId: _replayId,
  ...resultFields
} = attemptFields

const headers = Type.Record(Type.String(), Type.String())

const TestedWebhookResponse = Type.Object({
  url,
  request: Type.Object({
    method: Type.Literal('POST'),
    headers: { ...headers, description: 'As sent, but for the values of static headers.' },
    body: Type.String({ description: 'Byte for byte.' }),
  }),
  signature: Type.Object({
    xSignature: nullable(Type.String({ description: 'null without a shared secret.' })),
    webhookSignature: nullable(Type.String({ description: 'null without a shared secret.' })),
  }),
  attempt: nullable(
    Type.Object({
      ...resultFields,
      retryAfterMs: Type.Optional(
        Type.Integer({ description: 'How long the receiver asked for quiet.' }),
      ),
      headers: Type.Optional(headers),
      body: Type.Optional(Type.String({ description: 'The beginning of the response body.' })),
    }),
  ),
})

/** What the route that tests a destination takes and answers. */
export const testDeliverySchema = {
  tags: ['Destinations'],
  operationId: 'testDestination',
  summary: 'Sends something to each webhook, and shows what came of it',
  description:
    'Works while the destination is off or paused, too. Nothing of it is recorded or tried again. An event has the webhook-id that its delivery has, a sample a new one.',
  params: IdParams,
  body: Type.Object(
    {
      type: Type.Optional(
        Type.Enum([...PAYLOAD_TYPES], {
          description: `A sample of this type: ${PAYLOAD_TYPES.join(', ')}.`,
        }),
      ),
      eventId: Type.Optional(Type.String({ description: 'An event of its source, by id.' })),
      dryRun: Type.Optional(Type.Boolean({ description: 'true: only shows what would be sent.' })),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'What was sent, and what came of it.',
    Type.Object({
      dryRun: Type.Boolean(),
      deliveryId: Type.String({ description: 'The webhook-id.' }),
      webhooks: Type.Array(TestedWebhookResponse),
    }),
  ),
}
