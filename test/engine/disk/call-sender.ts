import { randomUUID } from 'node:crypto'
import { exchange, type ReceivedResponse } from '../../harness/http-exchange.ts'
import type { ManagementApi } from '../../harness/management-api.ts'

const CALLS = 20
const NOTE = 'x'.repeat(2000)

/**
 * Makes a source with a destination. Returns a function that sends a batch, and adds its messageIds to `accepted` when the
 * response is 200.
 */
export async function openSender(
  api: ManagementApi,
  {
    webhookUrls,
    accepted,
  }: { readonly webhookUrls: readonly string[]; readonly accepted: Set<string> },
): Promise<() => Promise<ReceivedResponse>> {
  const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'S',
  })
  await api.call('POST', 'destinations', {
    sourceId: source.id,
    type: 'Webhooks',
    enabled: true,
    settings: { webhooks: webhookUrls.map((url) => ({ url })) },
  })
  const authorization = `Basic ${btoa(`${source.writeKeys[0].key}:`)}`
  return async () => {
    const batch = Array.from({ length: CALLS }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
      properties: { note: NOTE },
    }))
    const headers = { 'Content-Type': 'application/json', Authorization: authorization }
    const body = JSON.stringify({ batch })
    const answer = await exchange(`${api.url}/v1/batch`, { headers, body })
    if (answer.status === 200) for (const { messageId } of batch) accepted.add(messageId)
    return answer
  }
}
