import { expect, onTestFinished, test } from 'vitest'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const certificates = makeCertificates()
const { ca, good, clients, unknownIssuer } = certificates
const [clientA, clientB] = clients.map(({ cert, key }) => ({
  clientCertificate: { certificate: cert, key },
}))

async function listening(options: ReceiverOptions = {}) {
  const receiver = await openReceiver(options)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

test.for([
  {
    auth: { basic: { user: 'Aladdin', password: 'open sesame' } },
    sent: /^Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==$/,
  },
  { auth: { basic: { user: 'test', password: '123£' } }, sent: /^Basic dGVzdDoxMjPCow==$/ },
  { auth: { basic: { user: 'key', password: '' } }, sent: /^Basic a2V5Og==$/ },
  { auth: { bearer: 'mF_9.B5f-4.1JqM' }, sent: /^Bearer mF_9\.B5f-4\.1JqM$/ },
])('a request has the Authorization of its webhook: $sent', async ({ auth, sent }) => {
  const receiver = await listening()
  const result = await openSender().send(requestTo(receiver.url, { auth }))
  expect(result.class).toBe('delivered')
  expect(receiver.requests[0]!.headers.authorization).toMatch(sent)
})

test.for([
  { auth: { basic: { user: 'someone', password: 'a-password' } }, secret: 'a-password' },
  { auth: { bearer: 'a-bearer-token' }, secret: 'a-bearer-token' },
])('the response record hides a repeated Authorization: $secret', async ({ auth, secret }) => {
  const receiver = await listening({
    respond: ({ headers: { authorization = '' } }) => ({
      status: 500,
      headers: { 'www-authenticate': authorization, server: secret },
      body: `${authorization} ${authorization.split(' ')[1]} ${secret}`,
    }),
  })
  const shown = JSON.stringify(await openSender().send(requestTo(receiver.url, { auth })))
  expect(shown).toContain('***')
  for (const each of [secret, receiver.requests[0]!.headers.authorization!.split(' ')[1]!])
    expect(shown).not.toContain(each)
})

test('webhooks with the same URL use their own client certificates', async () => {
  const receiver = await listening({ tls: good, clientCa: ca })
  const sender = openSender({ ca })
  for (const auth of [clientA, clientB, clientA])
    expect(await sender.send(requestTo(receiver.url, { auth }))).toMatchObject({ status: 200 })
  const names = receiver.requests.map(({ client }) => client)
  expect(names).toEqual(['client-a', 'client-b', 'client-a'])
  expect(receiver.connections).toBe(2)
})

test.for([
  { name: 'none', auth: undefined, error: 'closed before the response' },
  {
    name: 'one from another authority',
    auth: { clientCertificate: { certificate: unknownIssuer.cert, key: unknownIssuer.key } },
    error: 'closed before the response',
  },
])(
  'a request is retried if the receiver refuses its client certificate: $name',
  async ({ auth, error }) => {
    const receiver = await listening({ tls: good, clientCa: ca })
    const result = await openSender({ ca }).send(requestTo(receiver.url, auth && { auth }))
    expect(result).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
    expect(result.error).toContain(error)
    expect(receiver.requests).toEqual([])
  },
)
