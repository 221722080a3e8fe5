import { Analytics } from '@segment/analytics-node'
import type { ClientAdapter, AdaptedClient } from '../client-adapter.ts'
import { nodeProgram, trackThenChange } from './in-node.ts'

export const segmentAnalyticsNode: ClientAdapter = {
  name: '@segment/analytics-node',
  version: '3.1.0',
  program: (part, endpoint) => nodeProgram('@segment/analytics-node', part, endpoint),
  create(options): AdaptedClient {
    let errors = 0
    const analytics = new Analytics({
      writeKey: 'wk_test',
      host: options.endpoint,
      flushAt: options.flushAt ?? 20,
      flushInterval: options.flushAfterMs ?? 3_600_000,
      maxRetries: options.maxRetries ?? 3,
      httpRequestTimeout: options.timeoutMs ?? 10_000,
    })
    analytics.on('error', () => errors++)
    analytics.on('call_after_close', () => errors++)
    const track = (event: string, properties: object = {}) =>
      analytics.track({ userId: 'u1', event, properties: { ...properties } })
    return {
      track,
      trackThenChange: (event) => trackThenChange(track, event),
      flush: () => analytics.flush(),
      sendAll: () => analytics.flush(),
      close: (timeoutMs) =>
        analytics.closeAndFlush(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      get errors() {
        return errors
      },
    }
  },
}
