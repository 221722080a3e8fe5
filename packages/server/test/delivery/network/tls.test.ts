import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebhookSender } from '../../../src/delivery/sending/sender.ts'
import { makeCertificates, type ServerCertificate } from '@hookline/testing/network/certificates'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const send = (sender: WebhookSender, url: string) => sender.send(requestTo(url))

const certificates = makeCertificates()

/** A TLS server that records every byte received through TLS. */
async function openTlsServer(options: TlsOptions) {
  const received: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer(options, (socket) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const allClosed = () => [...sockets].every((socket) => socket.closed)
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}/hook`, received, sockets, allClosed }
}

describe('a certificate', () => {
  test.each<[string, ServerCertificate, string]>([
    ['that is self-signed', certificates.selfSigned, 'The certificate is self-signed'],
    ['that has expired', certificates.expired, 'The certificate has expired'],
    ['that is not valid yet', certificates.notYetValid, 'The certificate is not valid yet'],
    ['for another host', certificates.wrongHost, 'The certificate is for another host'],
    [
      'from an authority with a trusted name but a different key',
      certificates.unknownIssuer,
      'The certificate is',
    ],
  ])('%s is refused, and no byte of a request is sent', async (_name, certificate, words) => {
    const server = await openTlsServer(certificate)
    const result = await send(openSender({ ca: certificates.ca }), server.url)
    expect(result).toMatchObject({ outcome: 'retry', class: 'certificate_invalid' })
    expect(result.error).toContain(words)
    await expect.poll(server.allClosed).toBe(true)
    expect(server.sockets.size).toBe(1)
    expect(Buffer.concat(server.received)).toHaveLength(0)
  })

  test('from an unknown authority is refused', async () => {
    const server = await openTlsServer(certificates.good)
    const result = await send(openSender(), server.url)
    expect(result).toMatchObject({ outcome: 'retry', class: 'certificate_invalid' })
    expect(result.error).toContain('not trusted')
    await expect.poll(server.allClosed).toBe(true)
    expect(Buffer.concat(server.received)).toHaveLength(0)
  })

  test.each(['localhost', '127.0.0.1'])(
    'from an added authority is accepted for %s',
    async (host) => {
      await using receiver = await openReceiver({ tls: certificates.good })
      const sender = openSender({ ca: certificates.ca })
      const url = `https://${host}:${receiver.port}/hook`
      expect(await send(sender, url)).toMatchObject({ outcome: 'delivered', status: 200 })
      expect(receiver.requests).toHaveLength(1)
      await sender[Symbol.asyncDispose]()
    },
  )

  test('is verified even if an environment variable disables that', async () => {
    const server = await openTlsServer(certificates.selfSigned)
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    onTestFinished(() => {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    })
    const result = await send(openSender(), server.url)
    expect(result).toMatchObject({ outcome: 'retry', class: 'certificate_invalid' })
  })
})

describe('a handshake', () => {
  test('below TLS 1.2 fails, and is retried', async () => {
    const options: TlsOptions = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }
    const ciphers = 'DEFAULT@SECLEVEL=0'
    const server = await openTlsServer({ ...certificates.good, ...options, ciphers })
    const result = await send(openSender({ ca: certificates.ca }), server.url)
    expect(result).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
    expect(result.error).toContain('The TLS handshake failed')
  })

  test('with a server without TLS fails, and is retried', async () => {
    await using receiver = await openReceiver()
    const result = await send(openSender(), `https://127.0.0.1:${receiver.port}/hook`)
    expect(result).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
    expect(receiver.requests).toEqual([])
  })
})
