import { DELIVERY_CLASSES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { FailureGroup } from '../../backend/deliveries.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { nullable } from '../api/schema-parts.ts'
import { responses } from '../problems/responses.ts'

const FailureResponse = Type.Object({
  destinationId: Type.String(),
  class: Type.String({
    description:
      'The class of the last attempt; not_attempted or quarantined if the delivery ended without one. docs/reference/errors.md explains each.',
  }),
  status: nullable(Type.Integer({ description: 'null if there was no response.' })),
  count: Type.Integer({
    description: 'The number of undelivered deliveries that failed in this way.',
  }),
  firstSeenAt: Type.String({
    format: 'date-time',
    description: 'When the event of the oldest of these deliveries was received.',
  }),
  lastSeenAt: Type.String({
    format: 'date-time',
    description:
      'When the last attempt was made, or the last of them came into quarantine. For not_attempted: when the last of them became due.',
  }),
  sampleDeliveryId: Type.String({
    description:
      'The newest of these deliveries whose response is kept; the newest one where none is.',
  }),
  lastError: nullable(
    Type.String({
      description:
        'What went wrong in its last attempt, or why it is in quarantine, as text; null if none was kept.',
    }),
  ),
  meaning: Type.String({ description: 'What the class means.' }),
  remedy: Type.String({ description: 'What to do about it.' }),
})

const failureSchema = {
  tags: ['Deliveries'],
  operationId: 'listFailures',
  summary: 'Groups failed deliveries by destination, class and status',
  description:
    'Counts deliveries that are not delivered, by the last attempt on each webhook. A webhook whose retry window ended before its first attempt counts as not_attempted, and a delivery in quarantine as quarantined. The largest group comes first.',
  querystring: Type.Object(
    {
      destinationId: Type.Optional(
        Type.String({ description: 'Only failures of this destination.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'The groups.',
    Type.Object({
      data: Type.Array(FailureResponse),
      isComplete: Type.Boolean({
        description: 'false if a destination has so many that only its newest 2,000 were counted.',
      }),
    }),
  ),
}

/** `/deliveries/failures`: why deliveries fail, and what to do about it. */
export function addFailureRoute(app: AdminApp, { reports }: AdminDeps): void {
  app.get('/deliveries/failures', { schema: failureSchema }, async ({ query }) => {
    const { groups, isComplete } = await reports.failures(query)
    return { data: groups.map(presentFailure), isComplete }
  })
}

function presentFailure(group: FailureGroup): object {
  const { meaning, help } = DELIVERY_CLASSES[group.class]
  return {
    ...group,
    firstSeenAt: formatTimestamp(group.firstSeenAt),
    lastSeenAt: formatTimestamp(group.lastSeenAt),
    meaning,
    remedy: help,
  }
}
