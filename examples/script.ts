// A script that has something to tell, tells it, and ends.
//
//   HOOKLINE_URL=http://127.0.0.1:4800 HOOKLINE_WRITE_KEY=wk_… node --conditions=hookline-source examples/script.ts
//
// (--conditions is for this repository alone, where packages are not built.)
import { Analytics } from '@hookline/client'

// The type parameter is optional: it makes the compiler check the names of events and their properties.
interface Events extends Record<string, object> {
  'Invoice Paid': { amount: number; currency: string }
}

const analytics = new Analytics<Events>(process.env['HOOKLINE_WRITE_KEY'] ?? '', {
  endpoint: process.env['HOOKLINE_URL'],
})

// A call only queues. Nothing here waits for the network, and nothing throws but a mistake in the call.
analytics.identify({ userId: 'u1', traits: { plan: 'team' } })
analytics.track({
  userId: 'u1',
  event: 'Invoice Paid',
  properties: { amount: 39.95, currency: 'EUR' },
})

// What happened long ago is told with its own time.
analytics.track({
  userId: 'u1',
  event: 'Invoice Paid',
  properties: { amount: 29.95, currency: 'EUR' },
  timestamp: '2014-05-01T09:30:00Z',
})

// The one thing not to forget: what is still queued goes with the process.
// It rejects if something could not be sent in time, so the script would fail rather than lose it in silence.
await analytics.close()
console.log(analytics.stats)
