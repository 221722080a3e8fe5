import { describe, expect, it } from 'vitest'
import { webhookPayload } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { Hookline, run } from '@hookline/testing/cli/hookline'

const SECRET = 'secret-of-listen'
const TIMESTAMP = '2026-11-21T09:30:00.000Z'
const BODY = webhookPayload({
  type: 'track',
  messageId: 'm1',
  userId: 'u1',
  event: 'Order\u001b[2J Completed',
  context: {},
  timestamp: TIMESTAMP,
  receivedAt: TIMESTAMP,
})

async function deliver(url: string, secret = SECRET): Promise<number> {
  const seconds = Math.floor(Date.now() / 1000)
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': standardSignature(secret, 'msg_1', seconds, BODY),
      'x-signature': xSignature(secret, BODY),
      'x-hookline-attempt': '3',
    },
    body: BODY,
  })
  return response.status
}

describe('hookline listen', () => {
  it('with --fail 500:2, responds with 500 twice, then 200, and prints each delivery as JSON', async () => {
    const flags = ['--port', '0', '--secret', SECRET, '--fail', '500:2', '--json']
    await using listening = new Hookline(['listen', ...flags])
    const { url } = await listening.document<{ url: string }>('listening')
    expect(await deliver(url)).toBe(500)
    expect(await deliver(url)).toBe(500)
    expect(await deliver(url, 'another secret')).toBe(200)

    const deliveries = await listening.documents('delivery', 3)
    expect(deliveries[0]).toEqual({
      kind: 'delivery',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      type: 'track',
      name: 'Order\u001b[2J Completed',
      userId: 'u1',
      anonymousId: null,
      messageId: 'm1',
      webhookId: 'msg_1',
      attempt: 3,
      signature: { verdict: 'valid', xSignature: 'valid', webhookSignature: 'valid' },
      sinceReceiptMs: null,
      responseStatus: 500,
      body: JSON.parse(BODY),
    })
    expect(deliveries[2]).toMatchObject({ responseStatus: 200, signature: { verdict: 'invalid' } })
  })

  it('prints a delivery on one line, without colours or control characters outside a terminal', async () => {
    await using listening = new Hookline(['listen', '--port', '0', '--delay', '1ms'])
    const [, url] = await listening.printed(/Listening on (\S+)\. /)
    expect(await deliver(url!)).toBe(200)
    const [line] = await listening.printed(/^\d\d:.*\n/m)
    expect(line).toMatch(/track +Order\\x1b\[2J Comple… +u1 +signature unchecked +attempt 3\n$/)
  })

  it('prints a body that is not JSON, and accepts only POST, PUT and PATCH', async () => {
    await using listening = new Hookline(['listen', '--port', '0', '--json'])
    const { url } = await listening.document<{ url: string }>('listening')
    expect((await fetch(url)).status).toBe(405)
    await fetch(url, { method: 'PATCH', body: 'hello' })
    expect(await listening.document('delivery')).toMatchObject({
      type: null,
      body: 'hello',
      signature: { verdict: 'unsigned' },
    })
  })

  it('exits 0 after Ctrl-C', async () => {
    await using listening = new Hookline(['listen', '--port', '0'])
    await listening.printed(/Listening/)
    listening.signal('SIGINT')
    expect(await listening.exit()).toBe(0)
  })

  it('reports that the port is in use, with the remedy', async () => {
    await using listening = new Hookline(['listen', '--port', '0', '--json'])
    const { url } = await listening.document<{ url: string }>('listening')
    const second = await run(['listen', '--port', new URL(url).port])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(/Port \d+ on 127\.0\.0\.1 is in use.*\n.*--port/)
  })
})
