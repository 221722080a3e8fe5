import Type from 'typebox'
import { responses } from '../problems/responses.ts'
import { nullable, time } from '../api/schema-parts.ts'
import { STEPS } from './statistics-steps.ts'
import { timeRangeQuery } from '../api/time-range.ts'

const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

const PointResponse = Type.Object({
  at: time,
  received: Type.Integer({ description: 'Calls accepted, duplicates included.' }),
  refused: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Calls refused, by code. Many belong to no source: empty where one source or destination is asked for.',
  }),
  duplicates: Type.Integer({ description: 'Calls left out because they had come before.' }),
  filtered: counts('Decisions against a delivery, by reason.'),
  delivered: Type.Integer(),
  failed: counts('Deliveries that ended undelivered, by state.'),
  pending: nullable(Type.Number({ description: 'Deliveries waiting, on average.' })),
  latencyMs: nullable(
    Type.Object(
      { p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
      { description: 'From receipt to delivery, right to 5 %; null where nothing was delivered.' },
    ),
  ),
})

/** What the route of statistics takes and answers. */
export const statisticsSchema = {
  tags: ['Statistics'],
  operationId: 'getStatistics',
  summary: 'Counts over time: received, refused, filtered, delivered, failed, pending, latency',
  description:
    'Counts are written once a minute. Steps below an hour reach back 7 days, others 400.',
  querystring: Type.Object(
    {
      ...timeRangeQuery,
      step: Type.Optional(
        Type.Enum(Object.keys(STEPS) as (keyof typeof STEPS)[], {
          description: `One of ${Object.keys(STEPS).join(', ')}; 1m if absent.`,
        }),
      ),
      sourceId: Type.Optional(Type.String({ description: 'Only of this source.' })),
      destinationId: Type.Optional(
        Type.String({ description: 'Only of this destination, and received by its source.' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'One point for each step, also where nothing happened.',
    Type.Object({
      from: time,
      to: time,
      stepMs: Type.Integer(),
      points: Type.Array(PointResponse),
    }),
  ),
}
