import { RESERVED_PORTS } from '@hookline/protocol'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { WebhookSender } from '../../../src/delivery/sending/sender.ts'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const send = (sender: WebhookSender, url: string) => sender.send(requestTo(url))

/** A receiver on the first reserved port that is free on this machine. */
async function openOnReservedPort(): Promise<Receiver> {
  for (const port of RESERVED_PORTS.keys()) {
    if (port < 5000) continue
    const receiver = await openReceiver({ port }).catch(() => undefined)
    if (receiver !== undefined) return receiver
  }
  throw new Error('No reserved port is free.')
}

test.each(['http', 'https'])(
  'a reserved port is refused without a connection: %s',
  async (scheme) => {
    await using receiver = await openOnReservedPort()
    const sender = openSender()
    for (const [port, service] of RESERVED_PORTS) {
      const result = await send(sender, `${scheme}://127.0.0.1:${port}/`)
      expect(result).toMatchObject({
        outcome: 'retry',
        class: 'port_forbidden',
        error: `Port ${port} is reserved for ${service}. To allow it, add it to the allowedPorts setting.`,
      })
    }
    expect(receiver.connections).toBe(0)
  },
)

test('only reserved ports that are allowed can be reached', async () => {
  await using receiver = await openOnReservedPort()
  const sender = openSender({ allowedPorts: new Set([receiver.port]) })
  expect(await send(sender, receiver.url)).toMatchObject({ outcome: 'delivered' })
  expect(await send(sender, 'http://127.0.0.1:25/')).toMatchObject({ class: 'port_forbidden' })
  await sender[Symbol.asyncDispose]()
})

test('every port that a browser refuses is reserved', () => {
  // From the list of the Fetch standard in undici, because trying 65,535 ports takes seconds.
  const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js') as {
    readonly badPorts: readonly string[]
  }
  expect(badPorts.length).toBeGreaterThan(70)
  expect(badPorts.map(Number).filter((port) => port !== 0 && !RESERVED_PORTS.has(port))).toEqual([])
})
