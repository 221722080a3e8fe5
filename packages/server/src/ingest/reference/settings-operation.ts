import type { IngestCodeName, JsonObject } from '@hookline/protocol'

const example = {
  integrations: {
    'Segment.io': { apiKey: 'wk_…', apiHost: 'hookline.example.com/v1', protocol: 'https' },
  },
  plan: { track: { __default: { enabled: true, integrations: {} } } },
}

/** The path of the settings that client libraries for browsers and phones read. */
export function settingsPath(
  errorResponse: (description: string, codes: readonly IngestCodeName[]) => JsonObject,
): JsonObject {
  return {
    '/v1/projects/{writeKey}/settings': {
      get: {
        operationId: 'getSettings',
        tags: ['Client libraries'],
        summary: 'Shows the settings that client libraries for browsers and phones read',
        description: 'The same at /projects/{writeKey}/settings.',
        security: [],
        parameters: [{ name: 'writeKey', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'Where to send calls.',
            content: {
              'application/json': {
                schema: { type: 'object', required: ['integrations', 'plan'] },
                examples: { settings: { value: example } },
              },
            },
          },
          404: errorResponse('No source has this write key.', ['not_found']),
        },
      },
    },
  }
}
