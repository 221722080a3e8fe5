import { Analytics } from '@hookline/client'
import { answerWith, silence } from '../load/client-load.ts'

answerWith(() => {
  const analytics = new Analytics('wk_bench', { fetch: silence })
  return {
    track: (call) => analytics.track(call),
    discard: () => void analytics.close({ timeoutMs: 0 }).catch(() => {}),
  }
})
