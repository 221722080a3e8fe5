// Makes <calls> track calls and closes the client: track-and-close.ts <endpoint> <calls>
import { Analytics } from '@hookline/client'

const [endpoint, calls] = process.argv.slice(2)
await using analytics = new Analytics('wk_secret', { endpoint })
for (let index = 0; index < Number(calls); index++) {
  analytics.track({ userId: 'u-private', event: 'Private', properties: { secret: 'hidden' } })
}
