import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { makeCertificates, type ServerCertificate } from '@hookline/testing/network/certificates'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { startService } from '@hookline/testing/service/running-service'

const certificates = makeCertificates()

/** A TLS server that counts its connections, and the bytes received after handshakes. */
async function openTlsCounter(certificate: ServerCertificate) {
  const counted = { connections: 0, open: 0, bytes: 0 }
  const server = createServer(certificate, (socket) => {
    socket.on('data', (chunk: Buffer) => (counted.bytes += chunk.length)).on('error', () => {})
  })
  server
    .on('tlsClientError', () => {})
    .on('connection', (socket: Socket) => {
      counted.connections++
      counted.open++
      socket.on('close', () => counted.open--)
    })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    counted,
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe.concurrent('an https webhook', () => {
  test('with an expired certificate causes an error and gets no request', async () => {
    await using server = await openTlsCounter(certificates.expired)
    // Retried until the retry window ends, because operators fix certificates within hours.
    await using service = await startService({
      settings: { retryScheduleMs: '300', retryWindowMs: '3000' },
    })
    await service.createDestination({ urls: [server.url], secret: 's' })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'rejected', nextAttemptAt: null }])
    const { attempts } = deliveries[0]!
    expect(attempts.length).toBeGreaterThan(1)
    const [attempt] = attempts
    expect(attempt).toMatchObject({ class: 'certificate_invalid', outcome: 'retry' })
    expect(attempt!.error).toMatch(/^The certificate /)
    expect(attempt).not.toHaveProperty('status')
    expect(service.logLines).toContainEqual(
      expect.objectContaining({ msg: 'webhook.failing', class: 'certificate_invalid' }),
    )
    await service.eventually(() =>
      expect(server.counted).toEqual({ connections: attempts.length, open: 0, bytes: 0 }),
    )
  })

  test('with a certificate from an authority added by the operator receives its request', async () => {
    using folder = new TemporaryFolder()
    const tlsCaFile = join(folder.path, 'ca.pem')
    writeFileSync(tlsCaFile, certificates.ca)
    await using receiver = await openReceiver({ tls: certificates.good })
    await using service = await startService({ settings: { tlsCaFile } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
    expect(receiver.requests).toHaveLength(1)
  })
})
