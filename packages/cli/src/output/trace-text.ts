import { isJsonObject, type JsonObject } from '@hookline/protocol'
import type { Delivery } from '../api/generated/management-client.ts'
import type { ManagementApi } from '../api/management-api.ts'
import { attemptLine } from './attempt-text.ts'
import { summaryOf, userOf } from './event-summary.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'
import { sheet } from './table.ts'

type Trace = Awaited<ReturnType<ManagementApi['getEvent']>>
type Decision = Trace['decisions'][number]

const SIGNS: Readonly<Record<Decision['decision'], string>> = {
  deliver: '→',
  declined: '✗',
  pending: '…',
}

/** The trace of an event, for people: what came, what was decided for each destination, every attempt. */
export function traceText(output: Output, trace: Trace): string {
  const { event, source, decisions, deliveries } = trace
  const summary = summaryOf(event)
  const { type, name } = summary
  const head = name === null ? type : `${type} ${JSON.stringify(name)}`
  const facts = sheet(output, [
    ['event', trace.id],
    ['messageId', String(event['messageId'])],
    ['user', userOf(summary)],
    ['source', `${source.name ?? 'removed'} (${source.id})`],
    ['received', [trace.receivedAt, ...senderOf(event['context'] as JsonObject)].join(' ')],
    ...(trace.marks.length > 0 ? [['marks', trace.marks.join(', ')] as const] : []),
    ...(trace.duplicates > 0
      ? [['left out', `${trace.duplicates} later with the same messageId`] as const]
      : []),
  ])
  const outcomes = decisions.flatMap((decision) => decisionLines(output, decision, deliveries))
  const none = 'No destination had a say: the source had none when the event came.'
  return [
    output.style('bold', printable(head)),
    facts,
    ...(outcomes.length > 0 ? outcomes : [none]),
  ].join('\n')
}

/** `by analytics-node 3.1.0` and `from 192.0.2.1`, as far as the call says. */
function senderOf({ library, ip }: JsonObject): string[] {
  const { name, version } = isJsonObject(library) ? library : {}
  const program = [name, version].filter((each) => typeof each === 'string').join(' ')
  return [
    ...(program === '' ? [] : [`by ${program}`]),
    ...(typeof ip === 'string' ? [`from ${ip}`] : []),
  ]
}

function decisionLines(
  output: Output,
  { destinationId, decision, reason, explanation }: Decision,
  deliveries: readonly Delivery[],
): string[] {
  const made = deliveries.filter((delivery) => delivery.destinationId === destinationId)
  return [
    `${SIGNS[decision]} ${output.style('bold', destinationId)} ${reason ?? decision}: ${explanation}`,
    ...made.flatMap((delivery) => deliveryLines(output, delivery)),
  ]
}

function deliveryLines(output: Output, delivery: Delivery): string[] {
  const { id, state, nextAttemptAt, attempts } = delivery
  const next = nextAttemptAt === null ? '' : `, next attempt at ${nextAttemptAt}`
  return [`  ${id} ${state}${next}`, ...attempts.map((attempt) => attemptLine(output, attempt))]
}
