import { Analytics } from '@hookline/client'
import { LIBRARY } from '../../../packages/client/src/calls/analytics-calls.ts'
import type { ClientAdapter, AdaptedClient } from '../client-adapter.ts'

export const hooklineClient: ClientAdapter = {
  ...LIBRARY,
  create({ flushAfterMs = 3_600_000, maxRetries = 3, ...options }): AdaptedClient {
    let errors = 0
    const analytics = new Analytics('wk_test', {
      ...options,
      flushAfter: flushAfterMs,
      maxRetries,
      onError: () => errors++,
    })
    return {
      track: (event, properties) => analytics.track({ userId: 'u1', event, properties }),
      flush: () => analytics.flush(),
      close: (timeoutMs) => analytics.close({ timeoutMs }),
      get errors() {
        return errors
      },
    }
  },
}
