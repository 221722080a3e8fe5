import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Receivers in a separate process, one per path. Each responds with 200 immediately, except /hanging, which never responds,
// /slow, which responds after 4 s, /failing, which responds with 500, and /second-try, which responds with 500 to first attempts.
// On request, the process reports the latency of each accepted delivery, except to /answering* and /slow.

const SLOW_MS = 4_000

let latenciesMs: number[] = []

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === '/hanging') return
    const isFirst = request.headers['x-hookline-attempt'] === '1'
    if (request.url === '/failing' || (request.url === '/second-try' && isFirst)) {
      response.writeHead(500).end()
      return
    }
    const accept = (): void => void response.writeHead(200, { 'content-length': 0 }).end()
    // Their latency is not measured.
    if (request.url === '/slow') return void setTimeout(accept, SLOW_MS)
    if (request.url!.startsWith('/answering')) return accept()
    const { properties } = JSON.parse(Buffer.concat(chunks).toString()) as {
      properties: { acceptedAt: number }
    }
    latenciesMs.push(performance.timeOrigin + performance.now() - properties.acceptedAt)
    accept()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

process.on('message', () => {
  process.send!(latenciesMs)
  latenciesMs = []
})
process.on('SIGTERM', () => process.exit())
