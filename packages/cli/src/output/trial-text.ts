import type { ManagementApi } from '../api/management-api.ts'
import { attemptLine } from './attempt-text.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'

type TestDelivery = Awaited<ReturnType<ManagementApi['testDestination']>>

/** What was sent to each webhook of a destination, and what came of it, for people. */
export function trialText(output: Output, { webhooks }: TestDelivery): string {
  return webhooks.map((each) => webhookText(output, each)).join('\n\n')
}

function webhookText(
  output: Output,
  { url, request, attempt }: TestDelivery['webhooks'][number],
): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [`POST ${url}`, ...headers, '', request.body].map((line) => `  ${printable(line)}`)
  if (attempt === null) return [output.style('bold', 'would be sent'), ...sent].join('\n')
  const answer = attempt.body ? [`  ${printable(attempt.body)}`] : []
  return [...sent, attemptLine(output, { number: 1, url, ...attempt }), ...answer].join('\n')
}
