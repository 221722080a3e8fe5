import { Analytics } from '@hookline/client'
import { LIBRARY } from '../../../packages/client/src/calls/analytics-calls.ts'
import type { ClientAdapter, AdaptedClient } from '../client-adapter.ts'
import { nodeProgram, trackThenChange } from './in-node.ts'

export const hooklineClient: ClientAdapter = {
  ...LIBRARY,
  program: (part, endpoint) => nodeProgram(LIBRARY.name, part, endpoint),
  create({ flushAfterMs = 3_600_000, maxRetries = 3, ...options }): AdaptedClient {
    let errors = 0
    const analytics = new Analytics('wk_test', {
      ...options,
      flushAfter: flushAfterMs,
      maxRetries,
      onError: () => errors++,
    })
    const track = (event: string, properties?: object) =>
      analytics.track({ userId: 'u1', event, properties })
    return {
      track,
      trackThenChange: (event) => trackThenChange(track, event),
      flush: () => analytics.flush(),
      sendAll: () => analytics.flush(),
      close: (timeoutMs) => analytics.close({ timeoutMs }),
      get errors() {
        return errors
      },
    }
  },
}
