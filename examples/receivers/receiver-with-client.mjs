import { verifySignature } from '@hookline/client/verify'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { store } from './inbox.mjs'

const SECRET = process.env.HOOKLINE_SECRET
const MAX_BYTES = 4 * 1024 * 1024

/** Returns the status of the response. */
async function receive(request) {
  const { headers } = request
  if (Number(headers['content-length'] ?? Infinity) > MAX_BYTES) return 413
  const body = await buffer(request)
  if (!(await verifySignature(body, headers, SECRET, { requireStandard: true }))) return 401
  await store(headers['webhook-id'], body)
  return 200
}

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error)
    return 500
  })
  response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end()
})
const port = Number(process.env.PORT ?? 4801)
server.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/`))
