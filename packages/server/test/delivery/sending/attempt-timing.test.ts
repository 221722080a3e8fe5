import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AttemptResult } from '../../../src/delivery/sending/outcome.ts'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { DnsServer } from '@hookline/testing/network/dns-server'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const certificates = makeCertificates()

/** The phases before the transfer, which is recorded only if it takes 1 ms. On a busy machine, any transfer may. */
const phasesOf = ({ timing }: AttemptResult) =>
  Object.keys(timing ?? {}).filter((phase) => phase !== 'transferMs')

async function openDns(...addresses: readonly string[]): Promise<DnsServer> {
  const dns = await DnsServer.open(() => (addresses.length > 0 ? { addresses } : 'silence'))
  onTestFinished(() => dns[Symbol.asyncDispose]())
  return dns
}

test('an attempt that opens a socket reports how long each step took, and the steps add up to the total', async () => {
  await using receiver = await openReceiver({ tls: certificates.good })
  const dns = await openDns('127.0.0.1')
  const sender = openSender({ ca: certificates.ca, dnsServers: [dns.address] })
  const named = await sender.send(requestTo(`https://receiver.test:${receiver.port}/hook`))
  expect(phasesOf(named).slice(0, 3)).toEqual(['lookupMs', 'connectMs', 'tlsMs'])
  const result = await sender.send(requestTo(`https://127.0.0.1:${receiver.port}/hook`))
  expect(result.outcome).toBe('delivered')
  expect(phasesOf(result)).toEqual(['connectMs', 'tlsMs', 'responseMs'])
  const { transferMs: _, ...timing } = result.timing!
  const total = Object.values(timing).reduce((sum, ms) => sum + ms, 0)
  expect(Math.abs(total - result.durationMs)).toBeLessThan(1)
  await sender[Symbol.asyncDispose]()
})

test('an attempt that uses an open socket reports no connection steps', async () => {
  await using receiver = await openReceiver()
  const sender = openSender()
  expect(phasesOf(await sender.send(requestTo(receiver.url)))).toEqual(['connectMs', 'responseMs'])
  // undici cannot reuse the socket until the tick after the response.
  await new Promise((resolve) => void setImmediate(resolve))
  const { timing = {} } = await sender.send(requestTo(receiver.url))
  expect(timing).not.toHaveProperty('connectMs')
})

test('an attempt reports the time of the response body separately from its duration', async () => {
  const slow = createHttpServer((_request, response) => {
    response.writeHead(200).write('begin')
    setTimeout(() => response.end('end'), 1_000)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void slow.close())
  await once(slow, 'listening')
  const { port } = slow.address() as AddressInfo
  const sender = openSender()
  onTestFinished(() => sender[Symbol.asyncDispose]())
  for (const phases of [['connectMs', 'responseMs'], ['responseMs']]) {
    const result = await sender.send(requestTo(`http://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ outcome: 'delivered', body: 'beginend' })
    expect(phasesOf(result)).toEqual(phases)
    expect(result.timing?.transferMs).toBeGreaterThan(100)
    expect(result.timing?.responseMs).toBeLessThanOrEqual(result.durationMs)
    // undici cannot reuse the socket until the tick after the response.
    await new Promise((resolve) => void setImmediate(resolve))
  }
})

test('an attempt that must not connect reports no response time', async () => {
  const result = await openSender({ allowedNetworks: [] }).send(requestTo('http://127.0.0.1:8080/'))
  expect([result.class, phasesOf(result)]).toEqual(['address_forbidden', ['connectMs']])
})

test('each of several parallel attempts reports only the steps of its socket', async () => {
  await using receiver = await openReceiver()
  const sender = openSender({ maxConnectionsPerWebhook: 2 })
  const sent = await Promise.all([1, 2, 3, 4].map(() => sender.send(requestTo(receiver.url))))
  expect(sent.filter((result) => phasesOf(result).includes('connectMs'))).toHaveLength(2)
})

test('after a deadline, the last reported step is the one that was interrupted', async () => {
  const dns = await openDns()
  const sender = openSender({ timeoutMs: 1_000, dnsServers: [dns.address] })
  const inLookup = await sender.send(requestTo('http://receiver.test/'))
  expect(inLookup).toMatchObject({ class: 'timeout', timing: { lookupMs: expect.any(Number) } })
  expect(phasesOf(inLookup)).toEqual(['lookupMs'])

  const mute = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void mute.close())
  await once(mute, 'listening')
  mute.on('connection', (socket) => onTestFinished(() => void socket.destroy()))
  const { port } = mute.address() as AddressInfo
  const inTls = await sender.send(requestTo(`https://127.0.0.1:${port}/`))
  expect(phasesOf(inTls)).toEqual(['connectMs', 'tlsMs'])
  expect(inTls.timing?.tlsMs).toBeGreaterThan(100)

  await using receiver = await openReceiver({ respond: 'silence' })
  const inAnswer = await sender.send(requestTo(receiver.url))
  expect(phasesOf(inAnswer)).toEqual(['connectMs', 'responseMs'])
  expect(inAnswer.timing?.responseMs).toBeGreaterThan(100)
})
