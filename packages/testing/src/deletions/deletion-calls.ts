import type { Receiver } from '../receiver/receiver.ts'

export interface Deletion {
  readonly id: string
  readonly state: string
  readonly createdAt: string
  readonly purgedAt: string | null
}

export function callsTo({ requests }: Receiver, path: string) {
  return requests
    .filter((request) => request.path.endsWith(`/${path}`))
    .map(({ headers, body }) => {
      const call = JSON.parse(body.toString()) as Record<'type' | 'userId' | 'messageId', string>
      return { ...call, text: body.toString(), webhookId: String(headers['webhook-id']) }
    })
}

/** The distinct notices among the calls. A kill may repeat a notice, with the same webhook-id and text. */
export function noticesAmong(calls: ReturnType<typeof callsTo>) {
  const requests = calls.filter(({ type }) => type === 'delete')
  const notices = new Map(requests.map((call) => [`${call.webhookId} ${call.text}`, call.text]))
  return { requests: requests.length, texts: [...notices.values()].toSorted() }
}
