import { EVENT_TYPES } from '@hookline/protocol'
import Type from 'typebox'

const only = (what: string) => Type.Optional(Type.String({ description: `Only ${what}.` }))

/** What the route of the live tail takes and answers. */
export const liveSchema = {
  tags: ['Live'],
  operationId: 'watch',
  summary: 'Tells events, decisions and attempts as they happen',
  description:
    'Server-sent events: event, decision, attempt; gap where some were missed, with how many; sampling {"oneOf": N} while only one of N is told, because the reader is slow. A connection that breaks goes on where it was with Last-Event-ID. A comment comes every 15 s.',
  querystring: Type.Object(
    {
      kind: Type.Optional(
        Type.Enum(['event', 'decision', 'attempt'], {
          description: 'Only event, only decision, or only attempt.',
        }),
      ),
      sourceId: only('what came from this source'),
      destinationId: only('decisions and attempts of this destination, and events'),
      type: Type.Optional(
        Type.Enum([...EVENT_TYPES], { description: `One of ${EVENT_TYPES.join(', ')}.` }),
      ),
      event: only('what is about a track event, page or screen of this name'),
      userId: only('what is about this user'),
    },
    { additionalProperties: false },
  ),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'The id of the last message that was received.' }),
    ),
  }),
  response: {
    200: {
      description: 'The stream. It ends when the server stops or the token is no longer valid.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    default: {
      description: 'A problem.',
      content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
    },
  },
}
