import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { HostileClients } from './hostile-clients.ts'
import { expectHealthy, measureUnder } from './service-under-attack.ts'

/**
 * The bodies need 64 MiB, the default of maxBufferedBodyBytes. The rest is garbage that has not been
 * collected yet. Without the limit, 2,000 connections needed 1 GB.
 */
const MAX_GROWTH_MIB = 350

const head = (length: number): string =>
  `POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

test.each([
  { connections: 300, length: 400 * 1024 },
  { connections: 2_000, length: 499_000 },
])(
  '$connections connections without a key that send all of $length bytes except the last one do not disturb other clients',
  async ({ connections, length }) => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    await service.start({ HOOKLINE_REQUEST_TIMEOUT: '8000' })
    await service.addSource(receiver.url)
    await service.load(1)
    const beforeMiB = Math.round(service.residentBytes / 2 ** 20)
    const bytes = head(length) + ' '.repeat(length - 1)
    const attack = () => HostileClients.open(service.port, connections, bytes)
    const measured = await measureUnder(attack, { service, seconds: 4, maxSeconds: 60 })
    console.log(
      `${connections} partial bodies, ${beforeMiB} MiB before: ${JSON.stringify(measured)}`,
    )
    expectHealthy(measured)
    expect(measured.openConnections).toBe(0)
    expect(measured.residentMiB - beforeMiB).toBeLessThan(MAX_GROWTH_MIB)
    await expect.poll(() => service.gauge('hookline_partial_body_bytes')).toBe(0)
  },
)
