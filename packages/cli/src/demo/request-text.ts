import type { Output } from '../output/output.ts'
import type { ReceivedRequest } from '../receiver/received-delivery.ts'

const SHOWN = [
  'user-agent',
  'content-type',
  'x-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-hookline-attempt',
]

/** A request as it came, for people: the headers that make up a delivery, and the body. */
export function requestText(output: Output, { headers, body }: ReceivedRequest): string {
  const lines = SHOWN.map((name) => `  ${output.style('dim', `${name}:`)} ${String(headers[name])}`)
  return [...lines, '', `  ${body}`].join('\n')
}
