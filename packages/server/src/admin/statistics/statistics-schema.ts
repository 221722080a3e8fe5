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
      'Refused calls, by code. Many belong to no source, so this is empty if sourceId or destinationId is given.',
  }),
  duplicates: Type.Integer({ description: 'Calls dropped as duplicates.' }),
  filtered: counts('Declined events, by reason.'),
  delivered: Type.Integer(),
  failed: counts('Deliveries that ended undelivered, by state.'),
  entered: Type.Integer({
    description: 'Profiles that entered an audience, or got a value of a computed trait.',
  }),
  left: Type.Integer({ description: 'Profiles that left an audience, or lost the value.' }),
  pending: nullable(Type.Number({ description: 'The average number of waiting deliveries.' })),
  latencyMs: nullable(
    Type.Object(
      { p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
      { description: 'From receipt to delivery, to within 5 %; null if nothing was delivered.' },
    ),
  ),
})

/** Request and response of the statistics. */
export const statisticsSchema = {
  tags: ['Statistics'],
  operationId: 'getStatistics',
  summary:
    'Shows counts over time: received, refused, filtered, delivered, failed, entered, left, pending, latency',
  description:
    'Counts are written once a minute. Steps below an hour are available for 7 days, longer steps for 400 days.',
  querystring: Type.Object(
    {
      ...timeRangeQuery,
      step: Type.Optional(
        Type.Enum(Object.keys(STEPS) as (keyof typeof STEPS)[], {
          description: `One of ${Object.keys(STEPS).join(', ')}; 1m if absent.`,
        }),
      ),
      sourceId: Type.Optional(
        Type.String({
          description:
            'Only counts of this source; or of this audience or computed trait: entered and left.',
        }),
      ),
      destinationId: Type.Optional(
        Type.String({
          description: 'Only counts of this destination, and what its source received.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses(
    200,
    'One point for each step, also if nothing happened.',
    Type.Object({
      from: time,
      to: time,
      stepMs: Type.Integer(),
      points: Type.Array(PointResponse),
    }),
  ),
}
