import { verifySignature } from '@hookline/client/verify'
import { fastify } from 'fastify'
import { store } from './inbox.mjs'

const SECRET = process.env.HOOKLINE_SECRET
const app = fastify()

await app.register(async (receiver) => {
  const asBytes = { parseAs: 'buffer' }
  receiver.addContentTypeParser('application/json', asBytes, async (request, body) => body)
  receiver.post('/', { bodyLimit: 4 * 1024 * 1024 }, async ({ headers, body = '' }, reply) => {
    const isOurs = await verifySignature(body, headers, SECRET, { requireStandard: true })
    if (!isOurs) return reply.code(401).send()
    await store(headers['webhook-id'], body)
    return reply.code(200).send()
  })
})

const port = Number(process.env.PORT ?? 4801)
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}/`)
