import { eventCells } from './event-summary.ts'
import { outcomeColour } from '../deliveries/attempt-line.ts'
import { countText } from '../figures.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'

type Data = Readonly<Record<string, unknown>>

export function liveLine(output: Output, name: string, data: Data): string {
  if (name === 'gap') return output.style('yellow', gapText(data))
  if (name === 'event') return eventLine(output, data)
  const time = output.style('dim', text(data, 'at').slice(11, 23))
  return `${time} ${name === 'decision' ? decisionText(data) : attemptText(output, data)}`
}

function eventLine(output: Output, data: Data): string {
  const field = (name: string) => (data[name] ?? null) as string | null
  const cells = eventCells(output, text(data, 'at'), {
    // For an audience change, the type is always identify.
    type: field('change') ?? field('type'),
    name: field('name'),
    userId: field('userId'),
    anonymousId: field('anonymousId'),
  })
  return [...cells, printableText(text(data, 'eventId'))].join(' ')
}

function decisionText(data: Data): string {
  const why = data['reason'] === null ? text(data, 'decision') : text(data, 'reason')
  return printableText(`  → ${text(data, 'destinationId')} ${why} ${text(data, 'eventId')}`)
}

function attemptText(output: Output, data: Data): string {
  const outcome = text(data, 'outcome')
  const result = output.style(outcomeColour(outcome), outcome)
  const status = data['status'] === null ? text(data, 'class') : text(data, 'status')
  return `  ⇢ ${result} ${printableText(`${status} ${text(data, 'url')} ${text(data, 'deliveryId')}`)}`
}

function gapText(data: Data): string {
  const { missed } = data
  const messages = typeof missed === 'number' ? countText(missed, 'message') : 'Some messages'
  return `${messages} missed (${text(data, 'reason')}). \`hookline events list\` also shows missed events.`
}

function text(data: Data, name: string): string {
  const value = data[name]
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
