import { describe, expect, onTestFinished, test } from 'vitest'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import type { WebhookSenderOptions } from '../../../src/delivery/sending/sender.ts'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { type DnsResponse, DnsServer } from '@hookline/testing/network/dns-server'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import { Proxy, type ProxyOptions } from '@hookline/testing/network/proxy'
import { openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'

const certificates = makeCertificates()

async function openProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const proxy = await Proxy.open(options)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy
}

async function listening(options: ReceiverOptions = {}) {
  const receiver = await openReceiver(options)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

/** A sender that connects through the proxy, and trusts the test authority. */
const senderThrough = (url: string, options: Partial<WebhookSenderOptions> = {}) =>
  openSender({ egressProxy: new Redacted(url), ca: certificates.ca, ...options })

async function dnsServers(answer: DnsResponse): Promise<string[]> {
  const dns = await DnsServer.open(() => answer)
  onTestFinished(() => dns[Symbol.asyncDispose]())
  return [dns.address]
}

describe('with egressProxy, a request is delivered through the proxy', () => {
  test.each<[string, ProxyOptions, ReceiverOptions]>([
    ['http through an http proxy', {}, {}],
    ['https through an http proxy', {}, { tls: certificates.good }],
    ['http through an https proxy', { tls: certificates.good }, {}],
    ['https through an https proxy', { tls: certificates.good }, { tls: certificates.good }],
  ])('%s', async (_name, proxyOptions, receiverOptions) => {
    const proxy = await openProxy(proxyOptions)
    const receiver = await listening(receiverOptions)
    const result = await senderThrough(proxy.url()).send(requestTo(receiver.url))
    expect(result).toMatchObject({ outcome: 'delivered', status: 200 })
    const { host } = new URL(receiver.url)
    expect(proxy.requests).toMatchObject([{ authority: host, headers: { host } }])
    expect(receiver.requests).toMatchObject([{ method: 'POST', path: '/hook', headers: { host } }])
    expect(receiver.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('and later requests use the same tunnel', async () => {
    const proxy = await openProxy()
    const receiver = await listening({ tls: certificates.good })
    const sender = senderThrough(proxy.url())
    const first = await sender.send(requestTo(receiver.url))
    expect(first.timing).toMatchObject({ connectMs: expect.any(Number), tlsMs: expect.any(Number) })
    for (let n = 1; n < 20; n += 1) await sender.send(requestTo(receiver.url))
    expect(receiver.requests).toHaveLength(20)
    // undici cannot reuse the socket until the tick after the response.
    expect(proxy.requests.length).toBeLessThanOrEqual(2)
  })

  test("and the proxy's credentials are sent only to the proxy", async () => {
    const proxy = await openProxy()
    const receiver = await listening()
    const sender = senderThrough(proxy.url('us%40er:p%25ss%C3%BC'))
    expect(await sender.send(requestTo(receiver.url))).toMatchObject({ outcome: 'delivered' })
    const sent = String(proxy.requests[0]?.headers['proxy-authorization'])
    expect(Buffer.from(sent.replace(/^Basic /, ''), 'base64').toString()).toBe('us@er:p%ssü')
  })

  test('even if Hookline cannot resolve the name', async () => {
    const proxy = await openProxy()
    const receiver = await listening()
    for (const answer of ['no such name', 'failure', 'silence'] as const) {
      const sender = senderThrough(proxy.url(), { dnsServers: await dnsServers(answer) })
      const url = `http://${answer.replaceAll(' ', '-')}.example:${receiver.port}/`
      expect(await sender.send(requestTo(url))).toMatchObject({ outcome: 'delivered' })
    }
    expect(receiver.requests).toHaveLength(3)
  })
})

describe('with egressProxy, the proxy gets no request for', () => {
  test.each(['127.0.0.1', '[::1]', '2130706433', '169.254.169.254', 'localhost'])(
    'the forbidden host %s',
    async (host) => {
      const proxy = await openProxy()
      const sender = senderThrough(proxy.url(), { allowedNetworks: [] })
      const result = await sender.send(requestTo(`http://${host}/`))
      expect(result).toMatchObject({ outcome: 'retry', class: 'address_forbidden' })
      expect(proxy.connections).toBe(0)
    },
  )

  test('a name with one forbidden address', async () => {
    const proxy = await openProxy()
    const servers = await dnsServers({ addresses: ['192.0.66.1', '10.0.0.1'] })
    const sender = senderThrough(proxy.url(), { allowedNetworks: [], dnsServers: servers })
    const result = await sender.send(requestTo('https://a.example/'))
    expect(result).toMatchObject({ outcome: 'retry', class: 'address_forbidden' })
    expect(proxy.connections).toBe(0)
  })

  test('a forbidden port', async () => {
    const proxy = await openProxy()
    const result = await senderThrough(proxy.url()).send(requestTo('http://127.0.0.1:5432/'))
    expect(result).toMatchObject({ outcome: 'retry', class: 'port_forbidden' })
    expect(proxy.connections).toBe(0)
  })
})

describe('a proxy failure is retried, and its error names the proxy:', () => {
  const FAILED = { outcome: 'retry', class: 'proxy_failed' }

  test.each<[number, string]>([
    [407, 'The proxy rejected the credentials in the egressProxy setting (407).'],
    [403, 'The proxy responded with 403 and did not connect to the receiver.'],
    [502, 'The proxy responded with 502 and did not connect to the receiver.'],
    [302, 'The proxy responded with 302 and did not connect to the receiver.'],
  ])('it responds %d', async (behaviour, error) => {
    const proxy = await openProxy({ behaviour })
    const receiver = await listening()
    const result = await senderThrough(proxy.url('u:s3cret')).send(requestTo(receiver.url))
    expect(result).toMatchObject({ ...FAILED, error })
    expect(receiver.connections).toBe(0)
  })

  test('the connection is closed', async () => {
    const proxy = await openProxy({ behaviour: 'close' })
    const result = await senderThrough(proxy.url()).send(requestTo('http://127.0.0.1:2/'))
    expect(result).toMatchObject(FAILED)
    expect(result.error).toContain(
      'The connection to the proxy in the egressProxy setting failed (',
    )
  })

  test('the port is closed, or the name has no address', async () => {
    const closed = await Proxy.open()
    const url = closed.url()
    await closed[Symbol.asyncDispose]()
    const refused = await senderThrough(url).send(requestTo('http://127.0.0.1:2/'))
    expect(refused).toMatchObject(FAILED)
    expect(refused.error).toContain('(ECONNREFUSED)')
    const servers = await dnsServers('no such name')
    const sender = senderThrough('http://proxy.example:3128', { dnsServers: servers })
    const unknown = await sender.send(requestTo('http://127.0.0.1:2/'))
    expect(unknown).toMatchObject(FAILED)
  })

  test('the certificate is not valid', async () => {
    const proxy = await openProxy({ tls: certificates.selfSigned })
    const result = await senderThrough(proxy.url('u:s3cret')).send(requestTo('http://127.0.0.1:2/'))
    expect(result).toMatchObject(FAILED)
    expect(result.error).toContain('(DEPTH_ZERO_SELF_SIGNED_CERT)')
    expect(proxy.requests).toEqual([])
  })
})

test('the deadline covers a proxy that does not respond', async () => {
  const proxy = await openProxy({ behaviour: 'silence' })
  const result = await senderThrough(proxy.url(), { timeoutMs: 300 }).send(
    requestTo('http://127.0.0.1:2/'),
  )
  const error = 'No response within 300 ms.'
  expect(result).toMatchObject({ outcome: 'retry', class: 'timeout', error })
})

test.each(['selfSigned', 'wrongHost', 'expired'] as const)(
  'through the proxy, a receiver certificate that is %s is refused',
  async (name) => {
    const proxy = await openProxy()
    const receiver = await listening({ tls: certificates[name] })
    const result = await senderThrough(proxy.url()).send(requestTo(receiver.url))
    expect(result).toMatchObject({ outcome: 'retry', class: 'certificate_invalid' })
    expect([proxy.requests.length, receiver.requests.length]).toEqual([1, 0])
  },
)

test('no socket is left open after a failure or the disposal of the sender', async () => {
  const proxy = await openProxy({ behaviour: 502 })
  const receiver = await listening()
  const sender = senderThrough(proxy.url())
  await sender.send(requestTo(receiver.url))
  await expect.poll(() => proxy.openConnections).toBe(0)
  proxy.behaviour = 'connect'
  await sender.send(requestTo(receiver.url))
  expect(proxy.openConnections).toBe(1)
  await sender[Symbol.asyncDispose]()
  await expect.poll(() => proxy.openConnections).toBe(0)
})
