import { LIMITS, webhookPayload } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { Receiver } from '../../src/receiver/receiver.ts'

/** The values that need the most bytes: JSON writes each of these characters as six. */
const value = String.fromCodePoint(1).repeat(LIMITS.factValueCharacters)
const list = Array<string>(LIMITS.uniqueListValues).fill(value)

test('accepts the largest payload: a computed trait with a list of long strings', async () => {
  await using receiver = await new Receiver({ port: 0, onDelivery: () => {} }).listen()
  const timestamp = '2026-11-21T09:30:00.000Z'
  const identify = { type: 'identify', messageId: 'm1', userId: 'u1', traits: { list } } as const
  const body = webhookPayload({ ...identify, context: {}, timestamp, receivedAt: timestamp })
  const { status } = await fetch(receiver.url, { method: 'POST', body })
  expect(Buffer.byteLength(body)).toBeLessThan(LIMITS.payloadBytes)
  expect(status).toBe(200)
})
