import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { HostileClients } from './hostile-clients.ts'
import { expectHealthy, measureUnder } from './service-under-attack.ts'

const OPENAPI = get('/api/v1/openapi.json')
const CALL = JSON.stringify({ userId: 'u1', event: 'Signed Up' })
const WITHOUT_KEY = `POST /v1/track HTTP/1.1\r\nHost: x\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`

test.each([
  { name: 'requests for the OpenAPI document', connections: 40, each: 1_500, request: OPENAPI },
  { name: 'calls without a key', connections: 40, each: 1_500, request: WITHOUT_KEY },
  // 60 requests on a connection do not exceed maxPipelinedRequests.
  { name: 'requests for the OpenAPI document', connections: 300, each: 60, request: OPENAPI },
])(
  '$connections connections that each send $each $name and read nothing do not disturb other clients',
  async ({ name, connections, each, request }) => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    await service.start({ HOOKLINE_SLOW_READER_TIMEOUT: '3000' })
    await service.addSource(receiver.url)
    const attack = () => HostileClients.open(service.port, connections, request.repeat(each))
    const measured = await measureUnder(attack, { service, seconds: 3, maxSeconds: 60 })
    console.log(`${connections} × ${each} ${name}, unread: ${JSON.stringify(measured)}`)
    expectHealthy(measured)
    expect(measured.openConnections).toBe(0)
  },
)

test('300 connections that each request the metrics 60 times and read nothing do not disturb other clients', async () => {
  await using receiver = await openReceiver()
  await using service = new MeasuredService()
  await service.start()
  await service.addSource(receiver.url)
  const attack = () => HostileClients.open(service.port, 300, get('/metrics').repeat(60))
  const measured = await measureUnder(attack, { service, seconds: 3 })
  console.log(`300 × 60 requests for the metrics, unread: ${JSON.stringify(measured)}`)
  // The socket buffers can hold all responses, so the connections are idle.
  expectHealthy(measured)
})

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}
