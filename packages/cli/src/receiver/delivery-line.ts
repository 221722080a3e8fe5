import { isJsonObject } from '@hookline/protocol'
import { eventCells } from '../output/event-cells.ts'
import type { Output } from '../output/output.ts'
import type { ReceivedDelivery } from './received-delivery.ts'

const COLOURS = {
  ok: 'green',
  wrong: 'red',
  missing: 'red',
  unchecked: 'yellow',
  unsigned: 'yellow',
} as const

/** One delivery in one line: when, what, whose, whether the signature is right, how fast. */
export function deliveryLine(output: Output, delivery: ReceivedDelivery): string {
  const { at, signature, attempt, answered } = delivery
  const { verdict } = signature
  const words = verdict === 'unsigned' ? 'not signed' : `signature ${verdict}`
  return [
    ...eventCells(output, at, { ...delivery, name: delivery.name ?? groupIn(delivery) }),
    output.style(COLOURS[verdict], words.padEnd(12)),
    elapsed(delivery.sinceReceiptMs),
    ...(attempt !== null && attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(answered === 200 ? [] : [output.style('red', `answered ${answered}`)]),
  ].join('  ')
}

function groupIn({ body }: ReceivedDelivery): string | null {
  const groupId = isJsonObject(body) ? body['groupId'] : undefined
  return typeof groupId === 'string' ? groupId : null
}

function elapsed(ms: number | null): string {
  if (ms === null) return ''
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}
