import type { api } from '../../api/client.ts'

export type TestResponse = Awaited<ReturnType<typeof api.testDestination>>

/** The body of a test delivery, and the payload that it was made from. */
export interface TestedPayloads {
  readonly stored: string
  /** Before the transform. Absent if it equals the stored payload or the body. */
  readonly formatted?: string
  /** The fields whose numbers the transform gets as text. */
  readonly precisionLost?: readonly string[]
  readonly sent: Sent
}

/** The body of the requests, or why there are none. */
type Sent =
  | { readonly kind: 'body'; readonly body: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly error: string }

/** All webhooks of a destination get the same body. */
export function payloadsOf({
  stored,
  formatted,
  precisionLost = [],
  webhooks: [first],
}: Pick<TestResponse, 'stored' | 'formatted' | 'precisionLost' | 'webhooks'>): TestedPayloads {
  const sent = sentTo(first)
  const isShown = formatted !== stored && !(sent.kind === 'body' && sent.body === formatted)
  return {
    stored,
    ...(isShown && { formatted }),
    ...(precisionLost.length > 0 && { precisionLost }),
    sent,
  }
}

/** Whether the stored payload was sent unchanged. */
export function isUnchanged({ stored, sent }: TestedPayloads): boolean {
  return sent.kind === 'body' && sent.body === stored
}

function sentTo(webhook: TestResponse['webhooks'][number] | undefined): Sent {
  if (webhook === undefined) return { kind: 'failed', error: 'The destination has no webhook.' }
  const { request, attempt } = webhook
  if (request !== null) return { kind: 'body', body: request.body }
  return attempt?.outcome === 'declined'
    ? { kind: 'nothing' }
    : { kind: 'failed', error: attempt?.error ?? 'The transform failed.' }
}
