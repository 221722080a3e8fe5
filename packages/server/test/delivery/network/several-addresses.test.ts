import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import { DnsServer } from '@hookline/testing/network/dns-server'
import { LateListener } from './late-listener.ts'
import { openReceiver } from '@hookline/testing/receiver/receiver'

const SLOW = '127.0.0.2'
const REFUSED = '127.0.0.3'
const name = 'several.example'

test.each([
  [SLOW, REFUSED],
  [SLOW, REFUSED, '127.0.0.4'],
  [REFUSED, SLOW],
])(
  'with addresses %s, %s, the attempt waits for the slow one until its deadline',
  async (...addresses) => {
    await using dns = await DnsServer.open(() => ({ addresses }))
    await using listener = await LateListener.open(SLOW)
    const sender = openSender({ dnsServers: [dns.address], timeoutMs: 10_000 })
    const sent = sender.send(requestTo(`http://${name}:${listener.port}/`))
    // Longer than the delay before the next address. The kernel retries the slow one after a second.
    await sleep(400)
    listener.release()
    expect(await sent).toMatchObject({ outcome: 'delivered', status: 204 })
  },
)

test('a second address is tried while the first is slow', async () => {
  await using dns = await DnsServer.open(() => ({ addresses: [SLOW, '127.0.0.1'] }))
  await using listener = await LateListener.open(SLOW)
  await using receiver = await openReceiver({ port: listener.port })
  const sender = openSender({ dnsServers: [dns.address] })
  const result = await sender.send(requestTo(`http://${name}:${listener.port}/`))
  expect(result).toMatchObject({ outcome: 'delivered', status: 200 })
  expect(receiver.requests).toHaveLength(1)
})

test('an attempt whose addresses all refuse has one failed connection, and one with a silent address times out', async () => {
  let addresses = [REFUSED, '127.0.0.4']
  await using dns = await DnsServer.open(() => ({ addresses }))
  await using listener = await LateListener.open(SLOW)
  const sender = openSender({ dnsServers: [dns.address], timeoutMs: 600 })
  const refused = await sender.send(requestTo(`http://${name}:${listener.port}/`))
  expect(refused).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
  addresses = [SLOW, REFUSED]
  const silent = await sender.send(requestTo(`http://other.example:${listener.port}/`))
  expect(silent).toMatchObject({ outcome: 'retry', class: 'timeout' })
  expect(silent.error).toContain('600 ms')
})
