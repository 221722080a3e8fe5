import type { FastifyPluginAsync } from 'fastify'
import type { Catalog } from '../backend/catalog.ts'
import { SETTINGS_PATHS } from './endpoints.ts'
import { errorResponse, response, sendResponse } from './responses.ts'

/** A plan that blocks no event. The browser library reads it before it sends. */
const OPEN_PLAN = { track: { __default: { enabled: true, integrations: {} } } }

/**
 * The settings that browser and mobile libraries request before they send: the URL for events. `Segment.io` is their
 * name for the ingestion API. Any other integration would make them load code from elsewhere.
 */
export function projectSettings(catalog: Pick<Catalog, 'current'>): FastifyPluginAsync {
  return async (server) => {
    for (const path of SETTINGS_PATHS) {
      server.get<{ Params: { writeKey: string } }>(path, (request, reply) => {
        const { writeKey } = request.params
        if (!catalog.current.sourceByWriteKey.has(writeKey)) {
          sendResponse(reply, errorResponse('not_found'))
          return
        }
        const target = {
          apiKey: writeKey,
          apiHost: `${request.host}/v1`,
          protocol: request.protocol,
        }
        const integrations = { 'Segment.io': target }
        sendResponse(reply, response(200, { integrations, plan: OPEN_PLAN }))
      })
    }
  }
}
