import { Analytics } from '@segment/analytics-node'
import { answerWith, silence } from '../load/client-load.ts'

answerWith(() => {
  const httpClient = { makeRequest: silence }
  const analytics = new Analytics({ writeKey: 'wk_bench', httpClient })
  return { track: (call) => analytics.track(call), discard: () => {} }
})
