import { expect, test } from 'vitest'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openMailServer } from '@hookline/testing/receiver/mail-server'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import { AttemptAbortedError } from '../../../src/delivery/network/network-errors.ts'

const BODY = Buffer.from(
  JSON.stringify({ subject: 'Disk Low: T', text: 'Über\nhttps://a.example' }),
)
const LOGIN = { auth: { basic: { user: 'me@a.example', password: 'secret-1' } } }
const PLAIN = `AUTH PLAIN ${Buffer.from('\0me@a.example\0secret-1').toString('base64')}`

const certificates = makeCertificates()
const TRUSTED = { ca: certificates.ca }

test('an email to several recipients is delivered when the server accepts it', async () => {
  const server = await openMailServer()
  const result = await openSender().send(requestTo(server.url, { body: BODY }))
  expect(result).toMatchObject({
    outcome: 'delivered',
    class: 'delivered',
    status: 250,
    body: '250 Queued as 1',
  })
  expect(server.lines).toEqual(
    expect.arrayContaining([
      'MAIL FROM:<ops@a.example>',
      'RCPT TO:<ops@a.example>',
      'RCPT TO:<b@a.example>',
      'Subject: Disk Low: T',
      'Message-ID: <msg_01@hookline>',
    ]),
  )
})

test.each([true, false])('a password is only sent over TLS: smtps %s', async (isTls) => {
  const server = await openMailServer({ certificate: certificates.good, isTls })
  const url = `${server.url}&from=hookline@a.example`
  const result = await openSender(TRUSTED).send(requestTo(url, { body: BODY, ...LOGIN }))
  expect(result).toMatchObject({ class: 'delivered', timing: { connectMs: expect.any(Number) } })
  expect(server.lines).toContain(PLAIN)
  expect(server.lines).toContain('MAIL FROM:<hookline@a.example>')
  const start = server.lines.indexOf('STARTTLS')
  expect(start >= 0 && start < server.lines.indexOf(PLAIN)).toBe(!isTls)
})

test('without STARTTLS, the password is not sent', async () => {
  const server = await openMailServer()
  const result = await openSender(TRUSTED).send(requestTo(server.url, { body: BODY, ...LOGIN }))
  expect(result).toMatchObject({ class: 'mail_refused', outcome: 'retry', status: 500 })
  expect(server.lines.join('\n')).not.toContain('AUTH')
})

test.each([true, false])('an invalid certificate is refused: smtps %s', async (isTls) => {
  const server = await openMailServer({ certificate: certificates.selfSigned, isTls })
  const result = await openSender(TRUSTED).send(requestTo(server.url, { body: BODY, ...LOGIN }))
  expect(result).toMatchObject({ class: 'certificate_invalid', outcome: 'retry' })
  expect(server.lines.join('\n')).not.toContain('AUTH')
})

test('without a password, an invalid certificate is accepted, because it is better than no TLS', async () => {
  const server = await openMailServer({ certificate: certificates.selfSigned })
  const result = await openSender().send(requestTo(server.url, { body: BODY }))
  expect(result.class).toBe('delivered')
})

test.each([
  ['AUTH', '535 Wrong password secret-1', LOGIN, 535],
  ['MAIL FROM', '550 No', {}, 550],
  ['RCPT TO', '451 Greylisted', {}, 451],
  ['.', '554 Spam', {}, 554],
])(
  'a refusal of %s is retried, and its reply is recorded',
  async (command, reply, login, status) => {
    const replies = { [command]: reply }
    const server = await openMailServer({ replies, certificate: certificates.good })
    const result = await openSender(TRUSTED).send(requestTo(server.url, { body: BODY, ...login }))
    expect(result).toMatchObject({ class: 'mail_refused', outcome: 'retry', status })
    expect(result.error).toContain(`The mail server responded with ${status} to `)
    expect(result.body).toContain(String(status))
    expect(JSON.stringify(result)).not.toContain('secret-1')
  },
)

test('the login is hidden in a reply that repeats it', async () => {
  const replies = {
    AUTH: `535 unrecognized: ${PLAIN} ${Buffer.from('secret-1').toString('base64')}`,
  }
  const server = await openMailServer({ replies, certificate: certificates.good })
  const { body } = await openSender(TRUSTED).send(requestTo(server.url, { body: BODY, ...LOGIN }))
  expect(body).toMatch(/^535 unrecognized: AUTH PLAIN \*+ \*+$/)
})

test('refused recipients are recorded if the others were accepted', async () => {
  const server = await openMailServer({ replies: { 'RCPT TO:<b@': '550 No' } })
  const result = await openSender().send(requestTo(server.url, { body: BODY }))
  const body = '250 Queued as 1\nRefused recipients: b@a.example'
  expect(result).toMatchObject({ class: 'delivered', body })
})

test('a silent server causes a timeout, and its connection is closed', async () => {
  const server = await openMailServer({ replies: { EHLO: null } })
  const limits = { timeoutMs: 200 }
  const result = await openSender().send(requestTo(server.url, { body: BODY, limits }))
  expect(result).toMatchObject({ class: 'timeout', error: 'No response within 200 ms.' })
  await expect.poll(() => [...server.sockets].every(({ destroyed }) => destroyed)).toBe(true)
})

test('stopping aborts an email', async () => {
  const server = await openMailServer({ replies: { EHLO: null } })
  const sender = openSender()
  const sent = sender.send(requestTo(server.url, { body: BODY }))
  const aborted = expect(sent).rejects.toThrow(AttemptAbortedError)
  await expect.poll(() => server.lines).toHaveLength(1)
  sender.abort()
  await aborted
  await expect.poll(() => [...server.sockets].every(({ destroyed }) => destroyed)).toBe(true)
})

test('a forbidden address gets no connection', async () => {
  const server = await openMailServer()
  const result = await openSender({ allowedNetworks: [] }).send(
    requestTo(server.url, { body: BODY }),
  )
  expect(result.class).toBe('address_forbidden')
  expect(server.sockets.size).toBe(0)
})

test.each([
  ['smtp://localhost:22/?to=a@a.example', 'port_forbidden'],
  ['smtp://localhost:1/?to=a@a.example', 'port_forbidden'],
])('%s is refused', async (url, expected) => {
  expect((await openSender().send(requestTo(url, { body: BODY }))).class).toBe(expected)
})

test.each(['{}', '[]', '{"subject": 1, "text": ""}'])(
  'a body without a subject and a text is not sent: %s',
  async (body) => {
    const server = await openMailServer()
    const result = await openSender().send(requestTo(server.url, { body: Buffer.from(body) }))
    expect(result).toMatchObject({ class: 'request_invalid', outcome: 'rejected' })
    expect(server.lines).toEqual([])
  },
)
