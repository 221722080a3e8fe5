import { EVENT_TYPES } from '@hookline/protocol'
import Type from 'typebox'

const only = (what: string) => Type.Optional(Type.String({ description: `Only ${what}.` }))

/** Request and response of the live tail. */
export const liveSchema = {
  tags: ['Live'],
  operationId: 'watch',
  summary: 'Streams events, decisions and attempts as they happen',
  description:
    'Server-sent events named event, decision and attempt. An event with change entered, left or changed tells of an audience or a computed trait, whose key is its name. gap reports how many were missed. sampling {"oneOf": N} reports that only one of N is sent, because the reader is slow. Reconnect with Last-Event-ID to continue where the connection broke. A comment is sent every 15 s.',
  querystring: Type.Object(
    {
      kind: Type.Optional(
        Type.Enum(['event', 'decision', 'attempt'], {
          description: 'Only event, only decision, or only attempt.',
        }),
      ),
      sourceId: only('activity of this source'),
      destinationId: only('events, and the decisions and attempts of this destination'),
      type: Type.Optional(
        Type.Enum([...EVENT_TYPES], { description: `One of ${EVENT_TYPES.join(', ')}.` }),
      ),
      event: only('activity of track events, pages or screens with this name'),
      userId: only('activity of this user'),
    },
    { additionalProperties: false },
  ),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'The id of the last message that the client received.' }),
    ),
  }),
  response: {
    200: {
      description:
        'The stream. It ends when the server stops, when the token is removed or expires, or when it has to give way to another reader.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    default: {
      description: 'A problem.',
      content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
    },
  },
}
