// A Fastify server that tracks orders. Requests do not wait for analytics, and no call is lost when the server stops.
//
//   HOOKLINE_URL=… HOOKLINE_WRITE_KEY=wk_… PORT=3000 npx node --conditions=hookline-source examples/fastify-server.ts
//   curl -X POST localhost:3000/orders -H 'content-type: application/json' -d '{"userId":"u1","total":39.95}'
import { Analytics } from '@hookline/client'
import Fastify from 'fastify'

const app = Fastify()

// One client for the whole process batches the calls from all requests.
const analytics = new Analytics(process.env['HOOKLINE_WRITE_KEY'] ?? '', {
  endpoint: process.env['HOOKLINE_URL'],
  // Called for every failure. By default, failures are logged to the console.
  onError: (error) => app.log.error(error),
})

const order = {
  type: 'object',
  required: ['userId', 'total'],
  properties: { userId: { type: 'string', minLength: 1 }, total: { type: 'number' } },
} as const

app.post<{ Body: { userId: string; total: number } }>(
  '/orders',
  { schema: { body: order } },
  async ({ body, ip }, reply) => {
    analytics.track({
      userId: body.userId,
      event: 'Order Completed',
      properties: { revenue: body.total },
      // The address of the user. Hookline only gets the address of this server.
      context: { ip },
    })
    return reply.code(201).send({ ok: true })
  },
)

// Runs after the last request; app.close() waits for it.
app.addHook('onClose', () => analytics.close())
process.once('SIGTERM', () => void app.close())

console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' }))
