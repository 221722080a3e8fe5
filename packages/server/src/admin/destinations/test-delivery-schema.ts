import Type from 'typebox'
import { attemptFields } from '../deliveries/delivery-schema.ts'
import { responses } from '../problems/responses.ts'
import { IdParams, nullable } from '../api/schema-parts.ts'
import { PAYLOAD_TYPES } from '@hookline/protocol'
import { WarningsResponse } from './url-warnings.ts'

const { id: _id, number: _number, url, replayId: _replayId, ...resultFields } = attemptFields

const headers = Type.Record(Type.String(), Type.String())

const TestedWebhookResponse = Type.Object({
  url,
  request: Type.Object({
    method: Type.Literal('POST'),
    headers: { ...headers, description: 'As sent, but with the values of static headers hidden.' },
    body: Type.String({ description: 'The exact body of the request.' }),
  }),
  signature: Type.Object({
    xSignature: nullable(Type.String({ description: 'null without a shared secret.' })),
    webhookSignature: nullable(Type.String({ description: 'null without a shared secret.' })),
  }),
  attempt: nullable(
    Type.Object({
      ...resultFields,
      retryAfterMs: Type.Optional(
        Type.Integer({ description: 'How long the receiver asked to wait.' }),
      ),
      headers: Type.Optional(headers),
      body: Type.Optional(Type.String({ description: 'The beginning of the response body.' })),
    }),
  ),
})

/** Request and response of a test delivery. */
export const testDeliverySchema = {
  tags: ['Destinations'],
  operationId: 'testDestination',
  summary: 'Makes a test delivery and shows its result',
  description:
    'Sends a sample or an archived event to each webhook, even if the destination is disabled or paused. A test delivery is not recorded and not retried. An archived event has the webhook-id of its delivery; a sample has a new one.',
  params: IdParams,
  body: Type.Object(
    {
      type: Type.Optional(
        Type.Enum([...PAYLOAD_TYPES], {
          description: `A sample of this type: ${PAYLOAD_TYPES.join(', ')}.`,
        }),
      ),
      eventId: Type.Optional(Type.String({ description: 'The id of an event of its source.' })),
      dryRun: Type.Optional(
        Type.Boolean({ description: 'true: only shows the requests, and sends nothing.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'The requests and their results.',
    Type.Object({
      dryRun: Type.Boolean(),
      deliveryId: Type.String({ description: 'The webhook-id.' }),
      webhooks: Type.Array(TestedWebhookResponse),
      warnings: Type.Optional(WarningsResponse),
    }),
  ),
}
