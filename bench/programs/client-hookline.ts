import { Analytics } from '@hookline/client'
import { respondWith, neverRespond } from '../load/client-load.ts'

respondWith(() => {
  const analytics = new Analytics('wk_bench', { fetch: neverRespond })
  return {
    track: (call) => analytics.track(call),
    discard: () => void analytics.close({ timeoutMs: 0 }).catch(() => {}),
  }
})
