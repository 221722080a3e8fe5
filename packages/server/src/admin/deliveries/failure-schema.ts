import { ATTEMPT_CLASSES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { FailureGroup } from '../../backend/deliveries.ts'
import { responses } from '../problems/responses.ts'
import { nullable, time } from '../api/schema.ts'

const FailureShown = Type.Object({
  destinationId: Type.String(),
  class: Type.String({ description: 'What went wrong; docs/errors.md explains each.' }),
  status: nullable(Type.Integer({ description: 'null where there was no answer.' })),
  count: Type.Integer({ description: 'Deliveries that are not delivered and failed so last.' }),
  firstSeenAt: time,
  lastSeenAt: time,
  sampleDeliveryId: Type.String({ description: 'The newest of them.' }),
  meaning: Type.String({ description: 'What the class means.' }),
  remedy: Type.String({ description: 'What to do about it.' }),
})

/** What the route of failures takes and answers. */
export const FAILURE_SCHEMAS = {
  list: {
    tags: ['Deliveries'],
    operationId: 'listFailures',
    summary: 'Groups deliveries that failed by destination, class and status',
    description:
      'Of deliveries that are not delivered, as their webhooks answered last. The largest group comes first.',
    querystring: Type.Object(
      {
        destinationId: Type.Optional(
          Type.String({ description: 'Only those of this destination.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: responses(
      200,
      'The groups.',
      Type.Object({
        data: Type.Array(FailureShown),
        isComplete: Type.Boolean({
          description:
            'false where a destination has so many that only its newest 2,000 were counted.',
        }),
      }),
    ),
  },
}

/** The group as the API shows it. */
export function presentFailure(group: FailureGroup): object {
  const { meaning, help } = ATTEMPT_CLASSES[group.class]
  return {
    ...group,
    firstSeenAt: formatTimestamp(group.firstSeenAt),
    lastSeenAt: formatTimestamp(group.lastSeenAt),
    meaning,
    remedy: help,
  }
}
