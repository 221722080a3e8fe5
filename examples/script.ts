// A script that sends some calls and exits.
//
//   HOOKLINE_URL=http://127.0.0.1:4800 HOOKLINE_WRITE_KEY=wk_… npx node --conditions=hookline-source examples/script.ts
//
// (Only this repository needs --conditions, because its packages are not built.)
import { Analytics } from '@hookline/client'

// Optional: with this type parameter, the compiler checks event names and properties.
interface Events extends Record<string, object> {
  'Invoice Paid': { amount: number; currency: string }
}

const analytics = new Analytics<Events>(process.env['HOOKLINE_WRITE_KEY'] ?? '', {
  endpoint: process.env['HOOKLINE_URL'],
})

// Queues the call without waiting for the network. Throws only if the call is invalid.
analytics.identify({ userId: 'u1', traits: { plan: 'team' } })
analytics.track({
  userId: 'u1',
  event: 'Invoice Paid',
  properties: { amount: 39.95, currency: 'EUR' },
})

// A call with a timestamp imports history.
analytics.track({
  userId: 'u1',
  event: 'Invoice Paid',
  properties: { amount: 29.95, currency: 'EUR' },
  timestamp: '2014-05-01T09:30:00Z',
})

// Required: queued calls are lost when the process exits. close() rejects if it cannot send all of them in time.
await analytics.close()
console.log(analytics.stats)
