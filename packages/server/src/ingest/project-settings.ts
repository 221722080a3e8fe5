import type { FastifyPluginAsync } from 'fastify'
import type { Catalog } from '../backend/catalog.ts'
import { answer, refusal, sendAnswer } from './answer.ts'

/** Where the settings are, and where clients with a CDN host of their own look for them. */
export const SETTINGS_PATHS = ['/v1/projects/:writeKey/settings', '/projects/:writeKey/settings']

/** No event is blocked: the browser library asks the plan before it sends. */
const OPEN_PLAN = { track: { __default: { enabled: true, integrations: {} } } }

/**
 * What browser and mobile libraries ask for before they send: where events go. `Segment.io` is the name
 * they have for the ingestion API; any other integration would make them load code from elsewhere.
 */
export function projectSettings(catalog: Catalog): FastifyPluginAsync {
  return async (server) => {
    for (const path of SETTINGS_PATHS) {
      server.get<{ Params: { writeKey: string } }>(path, (request, reply) => {
        const { writeKey } = request.params
        if (!catalog.current.sourceByWriteKey.has(writeKey)) {
          sendAnswer(reply, refusal('not_found'))
          return
        }
        const target = {
          apiKey: writeKey,
          apiHost: `${request.host}/v1`,
          protocol: request.protocol,
        }
        sendAnswer(reply, answer(200, { integrations: { 'Segment.io': target }, plan: OPEN_PLAN }))
      })
    }
  }
}
