import { Analytics } from '@segment/analytics-node'
import { respondWith, neverRespond } from '../load/client-load.ts'

respondWith(() => {
  const httpClient = { makeRequest: neverRespond }
  const analytics = new Analytics({ writeKey: 'wk_bench', httpClient })
  return { track: (call) => analytics.track(call), discard: () => {} }
})
