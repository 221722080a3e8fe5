import { randomUUID } from 'node:crypto'
import type { ReceivedResponse } from '@hookline/testing/network/http-exchange'
import type { ManagementApi } from '@hookline/testing/service/management-api'
import { newDestination, newSource, sendTo } from '@hookline/testing/service/new-source'

const CALLS = 20
const NOTE = 'x'.repeat(2000)

/**
 * Creates a source with a destination. Returns a function that sends a batch, and adds its messageIds to `accepted` if the
 * response is 200.
 */
export async function openSender(
  api: ManagementApi,
  {
    webhookUrls,
    accepted,
  }: { readonly webhookUrls: readonly string[]; readonly accepted: Set<string> },
): Promise<() => Promise<ReceivedResponse>> {
  const { id, writeKey } = await newSource(api)
  await newDestination(api, id, ...webhookUrls)
  return async () => {
    const batch = Array.from({ length: CALLS }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
      properties: { note: NOTE },
    }))
    const answer = await sendTo(`${api.url}/v1/batch`, writeKey, { batch })
    if (answer.status === 200) for (const { messageId } of batch) accepted.add(messageId)
    return answer
  }
}
