import { verifySignature } from '@hookline/client/verify'
import express from 'express'
import { store } from './inbox.mjs'

const SECRET = process.env.HOOKLINE_SECRET
const app = express()

app.post('/', express.raw({ type: () => true, limit: '4mb' }), async (request, response) => {
  const { headers, body = '' } = request
  const isOurs = await verifySignature(body, headers, SECRET, { requireStandard: true })
  if (!isOurs) return response.sendStatus(401)
  await store(headers['webhook-id'], body)
  return response.sendStatus(200)
})

const port = Number(process.env.PORT ?? 4801)
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/`))
