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
