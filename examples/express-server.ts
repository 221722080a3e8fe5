// An Express server that tracks sign-ups and receives the webhooks for them.
//
//   HOOKLINE_URL=… HOOKLINE_WRITE_KEY=wk_… HOOKLINE_SECRET=… PORT=3000 \
//     npx node --conditions=hookline-source examples/express-server.ts
import { Analytics } from '@hookline/client'
import { verifySignature } from '@hookline/client/verify'
import express from 'express'
import type { AddressInfo } from 'node:net'

const app = express()
const analytics = new Analytics(process.env['HOOKLINE_WRITE_KEY'] ?? '', {
  endpoint: process.env['HOOKLINE_URL'],
})

app.post('/sign-ups', express.json(), (request, response) => {
  const { userId, plan } = request.body as { userId: string; plan: string }
  analytics.identify({ userId, traits: { plan } })
  analytics.track({ userId, event: 'Signed Up', properties: { plan } })
  response.status(201).end()
})

// The signature covers the received bytes, so this route must not use express.json().
app.post('/webhook', express.raw({ type: 'application/json' }), async (request, response) => {
  const body = request.body as Buffer
  const secret = process.env['HOOKLINE_SECRET'] ?? ''
  if (!(await verifySignature(body, request.headers, secret))) {
    response.status(401).end()
    return
  }
  const { type, event = '', messageId } = JSON.parse(body.toString()) as Record<string, string>
  console.log('received', type, event)
  // Delivery is at least once: store the ids of processed webhooks, and ignore duplicates.
  // Respond within the timeout of the webhook, 5 seconds by default.
  response.json({ seen: messageId })
})

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

// Close the server first, so that there are no new calls, then send the queued ones.
process.once('SIGTERM', () => {
  server.close(() => void analytics.close())
  server.closeIdleConnections()
})
