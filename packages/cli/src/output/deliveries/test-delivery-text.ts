import type { ManagementApi } from '../../api/management-api.ts'
import { attemptLines } from './attempt-line.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'

type TestDelivery = Awaited<ReturnType<ManagementApi['testDestination']>>

/** A test delivery, for people: what each webhook was sent, and how it responded. */
export function testDeliveryText(output: Output, { webhooks }: TestDelivery): string {
  return webhooks.map((each) => webhookText(output, each)).join('\n\n')
}

function webhookText(
  output: Output,
  { url, request, attempt }: TestDelivery['webhooks'][number],
): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [`POST ${url}`, ...headers, '', request.body].map((line) => `  ${printable(line)}`)
  if (attempt === null) return [output.style('bold', 'would be sent'), ...sent].join('\n')
  return [...sent, ...attemptLines(output, { number: 1, url, ...attempt })].join('\n')
}
