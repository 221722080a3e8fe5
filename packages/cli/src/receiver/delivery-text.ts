import { isJsonObject } from '@hookline/protocol'
import { eventCells } from '../output/events/event-summary.ts'
import type { Output } from '../output/output.ts'
import { printableText } from '../output/safe-text.ts'
import { audienceChange } from './audience-change.ts'
import type { ReceivedDelivery, ReceivedRequest } from './received-delivery.ts'

const COLOURS = {
  valid: 'green',
  invalid: 'red',
  missing: 'red',
  unchecked: 'yellow',
  unsigned: 'yellow',
} as const

export function deliveryLine(output: Output, delivery: ReceivedDelivery): string {
  const { at, signature, attempt, responseStatus } = delivery
  const { verdict } = signature
  const check = verdict === 'unsigned' ? 'not signed' : `signature ${verdict}`
  return [
    ...eventCells(output, at, { ...delivery, name: nameOf(delivery) }),
    output.style(COLOURS[verdict], check.padEnd(15)),
    elapsedText(delivery.sinceReceiptMs),
    ...(attempt !== null && attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(responseStatus === 200 ? [] : [output.style('red', `responded with ${responseStatus}`)]),
  ].join('  ')
}

const SHOWN_HEADERS = [
  'user-agent',
  'content-type',
  'x-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-hookline-attempt',
]

export function requestText(output: Output, { headers, body }: ReceivedRequest): string {
  const lines = SHOWN_HEADERS.map(
    (name) => `  ${output.style('dim', `${name}:`)} ${printableText(String(headers[name]))}`,
  )
  return [...lines, '', `  ${printableText(body)}`].join('\n')
}

function nameOf(delivery: ReceivedDelivery): string | null {
  const change = audienceChange(delivery.body)
  if (change !== undefined) return `${change.key}: ${JSON.stringify(change.value)}`
  const groupId = isJsonObject(delivery.body) ? delivery.body['groupId'] : undefined
  return delivery.name ?? (typeof groupId === 'string' ? groupId : null)
}

function elapsedText(ms: number | null): string {
  if (ms === null) return ''
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}
