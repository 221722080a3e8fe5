import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import type { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import type { ManagementApi } from '@hookline/testing/service/management-api'

/** Sends one call to a running service, and waits until it reaches the receiver. Resolves with the write key. */
export async function useOnce(options: {
  /** The URL for calls. */
  readonly url: string
  readonly api: ManagementApi
  readonly receiver: CountingReceiver
}): Promise<string> {
  const { url, api, receiver } = options
  const { id: sourceId, writeKeys } = await api.call<{
    id: string
    writeKeys: { key: string }[]
  }>('POST', 'sources', { name: 'Shop' })
  const writeKey = writeKeys[0]!.key
  const settings = { webhooks: [{ url: receiver.urlOf('hook') }] }
  await api.call('POST', 'destinations', { sourceId, type: 'Webhooks', enabled: true, settings })
  const call = { writeKey, userId: 'u1', event: 'Order Completed', messageId: 'm1' }
  const headers = { 'Content-Type': 'application/json' }
  const sent = await exchange(`${url}/v1/track`, { headers, body: JSON.stringify(call) })
  expect(sent.status, sent.text).toBe(200)
  await eventually(() => expect(receiver.missing('hook', new Set(['m1']))).toBe(0))
  const { data } = await api.call<{ data: object[] }>('GET', 'events')
  expect(data).toHaveLength(1)
  return writeKey
}
