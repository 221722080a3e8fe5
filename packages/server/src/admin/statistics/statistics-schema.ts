import Type from 'typebox'
import { componentSchema, responses } from '../problems/responses.ts'
import { nullable, time } from '../api/schema-parts.ts'
import { STEPS } from './statistics-steps.ts'
import { timeRangeQuery } from '../api/time-range.ts'

/** The most points of all series together. */
export const MAX_SERIES_POINTS = 10_000

const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

/** One point of the statistics as the API shows it. */
export const PointResponse = Type.Object(
  {
    at: time,
    received: Type.Integer({ description: 'Calls accepted, duplicates included.' }),
    refused: counts('Refused calls, by code. Without a valid write key they belong to no source.'),
    duplicates: Type.Integer({ description: 'Calls dropped as duplicates.' }),
    filtered: counts('Declined events, by reason.'),
    delivered: Type.Integer(),
    failed: counts('Deliveries that ended undelivered, by state.'),
    attempts: counts('Attempts, by class of the HTTP status (2xx to 5xx) or no_response.'),
    retried: Type.Integer({ description: 'Attempts with the outcome retry.' }),
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
  },
  { $id: 'StatisticsPoint' },
)

const points = Type.Array(componentSchema('StatisticsPoint'))

/** Request and response of the statistics. */
export const statisticsSchema = {
  tags: ['Statistics'],
  operationId: 'getStatistics',
  summary:
    'Shows counts over time: received, refused, filtered, delivered, failed, attempts, entered, left, pending, latency',
  description:
    'The counts reach up to now; pending is counted at the end of each minute. Steps below an hour are available for 7 days, longer steps for 400 days.',
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
      by: Type.Optional(
        Type.Enum(['source', 'destination'], {
          description: `source or destination: adds a series for each one, with at most ${MAX_SERIES_POINTS} points in all.`,
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
      points,
      series: Type.Optional(
        Type.Array(Type.Object({ id: Type.String(), points }), {
          description:
            'Present with by: the points of each source or destination that is selected.',
        }),
      ),
    }),
  ),
}
