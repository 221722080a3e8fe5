import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { classifyResponse, instructionIn } from '../../../src/delivery/sending/outcome.ts'

describe('limits.timeout', () => {
  test("replaces the service's timeout, whether it is shorter or longer", async () => {
    await using receiver = await openReceiver({
      respond: () => new Promise((resolve) => setTimeout(() => resolve(200), 600)),
    })
    const sender = openSender({ timeoutMs: 300 })
    const [short, long, plain] = await Promise.all([
      sender.send(requestTo(receiver.url, { limits: { timeoutMs: 100 } })),
      sender.send(requestTo(receiver.url, { limits: { timeoutMs: 5_000 } })),
      sender.send(requestTo(receiver.url)),
    ])
    expect(short).toMatchObject({ class: 'timeout', error: expect.stringContaining('100 ms') })
    expect(long).toMatchObject({ class: 'delivered', status: 200 })
    expect(plain).toMatchObject({ class: 'timeout', error: expect.stringContaining('300 ms') })
  })

  test('applies to the connection as well', async () => {
    // Accepts connections, and never continues the TLS handshake.
    const server = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const sender = openSender({ timeoutMs: 200 })
    const result = await sender.send(requestTo(url, { limits: { timeoutMs: 700 } }))
    expect(result).toMatchObject({ class: 'timeout', error: expect.stringContaining('700 ms') })
  })
})

test('a status that is final by default is retried only if limits.retryOn contains it', async () => {
  await using receiver = await openReceiver({ respond: [409, 404, 200] })
  const sender = openSender()
  const request = requestTo(receiver.url, { limits: { retryOn: [409] } })
  expect(await sender.send(request)).toMatchObject({ outcome: 'retry', class: 'http_4xx' })
  expect(await sender.send(request)).toMatchObject({ outcome: 'rejected', class: 'http_4xx' })
  expect(await sender.send(request)).toMatchObject({ outcome: 'delivered' })
})

describe('the response header webhook-delivery', () => {
  const responding = (status: number, value: string) =>
    openReceiver({ respond: { status, headers: { 'Webhook-Delivery': value } } })

  test('with the value abort-message ends a delivery that would be retried, and the attempt shows why', async () => {
    await using receiver = await responding(503, 'abort-message')
    expect(await openSender().send(requestTo(receiver.url))).toMatchObject({
      outcome: 'rejected',
      class: 'http_5xx',
      instruction: 'abort-message',
      error: 'The receiver responded with 503 and webhook-delivery: abort-message.',
      headers: { 'webhook-delivery': 'abort-message' },
    })
  })

  test('with the value disable is reported for any status, and changes no outcome', async () => {
    for (const [status, outcome] of [
      [200, 'delivered'],
      [404, 'rejected'],
      [500, 'retry'],
    ] as const) {
      await using receiver = await responding(status, ' Disable ')
      const sent = openSender().send(requestTo(receiver.url), { includeSuccessResponse: false })
      expect(await sent).toMatchObject({ outcome, status, instruction: 'disable' })
    }
  })

  test('has no effect on an accepted delivery, or with any other value', async () => {
    expect(classifyResponse(204, { instruction: 'abort-message' }).outcome).toBe('delivered')
    expect(classifyResponse(409, { instruction: 'abort-message', retryOn: [409] }).outcome).toBe(
      'rejected',
    )
    for (const other of ['', 'abort', 'disabled', 'disable, abort-message', 'x'.repeat(9_000)])
      expect(instructionIn(other)).toBeUndefined()
    expect(instructionIn(['disable', 'disable'])).toBeUndefined()
    expect(instructionIn(undefined)).toBeUndefined()
  })
})
