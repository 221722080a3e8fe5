import { exchange, type ReceivedResponse } from '../network/http-exchange.ts'
import type { ManagementApi } from './management-api.ts'

export async function newSource(api: ManagementApi): Promise<{ id: string; writeKey: string }> {
  const { id, writeKeys } = await api.call<{ id: string; writeKeys: [{ key: string }] }>(
    'POST',
    'sources',
    { name: 'S' },
  )
  return { id, writeKey: writeKeys[0].key }
}

/** Creates a destination with these webhooks. Resolves to its id. */
export async function newDestination(
  api: ManagementApi,
  sourceId: string,
  ...webhookUrls: readonly string[]
): Promise<string> {
  const settings = { webhooks: webhookUrls.map((url) => ({ url })) }
  const body = { sourceId, type: 'Webhooks', enabled: true, settings }
  return (await api.call<{ id: string }>('POST', 'destinations', body)).id
}

export function sendTo(url: string, writeKey: string, body: object): Promise<ReceivedResponse> {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Basic ${btoa(`${writeKey}:`)}`,
  }
  return exchange(url, { headers, body: JSON.stringify(body) })
}
