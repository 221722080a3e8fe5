import { ingestError } from '@hookline/protocol'
import type { FastifyPluginAsync } from 'fastify'
import type { Catalog } from '../backend/catalog.ts'
import { isHost } from '../http/host-guard.ts'
import { SETTINGS_PATHS } from './endpoints.ts'
import { errorResponse, response, sendResponse } from './responses.ts'

/** A plan that blocks no event. The browser library reads it before it sends. */
const OPEN_PLAN = { track: { __default: { enabled: true, integrations: {} } } }

/** What the response depends on. The CORS headers depend on `Origin`. */
const VARY = 'Origin, Host, X-Forwarded-Host, X-Forwarded-Proto'

interface SettingsDeps {
  readonly catalog: Pick<Catalog, 'current'>
  /** Called with each key that no source has. */
  readonly onUnknownKey: (writeKey: string) => void
}

/**
 * The settings that browser and mobile libraries request before they send: the URL for events. `Segment.io` is their
 * name for the ingestion API. Any other integration would make them load code from elsewhere. The browser library shows the response
 * for an unknown key in the console of the page, and sends nothing.
 */
export function projectSettings({ catalog, onUnknownKey }: SettingsDeps): FastifyPluginAsync {
  return async (server) => {
    for (const path of SETTINGS_PATHS) {
      server.get<{ Params: { writeKey: string } }>(path, (request, reply) => {
        // A cache would give the host that one client names to all others.
        void reply.headers({ 'cache-control': 'no-store', vary: VARY })
        const { writeKey } = request.params
        if (!isHost(request.host)) {
          sendResponse(reply, errorResponse('wrong_host'))
          return
        }
        if (!catalog.current.sourceByWriteKey.has(writeKey)) {
          onUnknownKey(writeKey)
          sendResponse(reply, response(404, ingestError('unknown_write_key')))
          return
        }
        const target = {
          apiKey: writeKey,
          apiHost: `${request.host}/v1`,
          protocol: request.protocol === 'https' ? 'https' : 'http',
        }
        const integrations = { 'Segment.io': target }
        sendResponse(reply, response(200, { integrations, plan: OPEN_PLAN }))
      })
    }
  }
}
