import { expect, onTestFinished, test } from 'vitest'
import { openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

async function listening(options: ReceiverOptions = {}) {
  const receiver = await openReceiver(options)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

test('a request with a filled URL uses the sockets of its webhook, regardless of its method', async () => {
  const receiver = await listening()
  const url = `${receiver.url}/{{userId}}`
  const sender = openSender({ maxConnectionsPerWebhook: 1 })
  for (const method of ['PUT', 'PATCH'] as const)
    await sender.send(requestTo(url, { method, filledUrl: `${receiver.url}/${method}?a` }))
  expect(receiver.requests).toMatchObject([
    { method: 'PUT', path: '/hook/PUT?a' },
    { method: 'PATCH', path: '/hook/PATCH?a' },
  ])
  expect(receiver.connections).toBe(1)
})

test('the error for a redirect has no target if the URL has user data', async () => {
  const receiver = await listening({ respond: { status: 308, headers: { Location: '/u1/' } } })
  const url = `${receiver.url}/{{userId}}`
  const result = await openSender().send(requestTo(url, { filledUrl: `${receiver.url}/u1` }))
  expect(result.error).toBe(
    'The receiver responded with 308, a redirect. Redirects are not followed.',
  )
})
