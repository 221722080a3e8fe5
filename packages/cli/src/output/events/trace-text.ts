import { isJsonObject, type JsonObject } from '@hookline/protocol'
import type { Delivery } from '../../api/generated/management-client.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { attemptLines } from '../deliveries/attempt-line.ts'
import { summaryOf, userOf } from './event-summary.ts'
import { nameAndId, type Names } from '../names.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'
import { partLines } from '../deliveries/part-lines.ts'
import { details, wrapLine } from '../details.ts'

type Trace = Awaited<ReturnType<ManagementApi['getEvent']>>
type Decision = Trace['decisions'][number]

const SYMBOLS: Readonly<Record<Decision['decision'], string>> = {
  deliver: '→',
  declined: '✗',
  pending: '…',
  none: '–',
}

export function traceText(output: Output, trace: Trace, names: Names): string {
  const { event, source, findings, decisions, deliveries } = trace
  const summary = summaryOf(event)
  const { type, name } = summary
  const head = name === null ? `${type}` : `${type} ${JSON.stringify(name)}`
  const facts = details(output, [
    ['event', trace.id],
    ['messageId', String(event['messageId'])],
    ['user', userOf(summary)],
    ['source', `${source.name ?? 'deleted'} (${source.id})`],
    [
      'received',
      [output.time(trace.receivedAt), ...senderOf(event['context'] as JsonObject)].join(' '),
    ],
    trace.traceId !== null && ['distributed trace', trace.traceUrl ?? trace.traceId],
    trace.warnings.length > 0 && ['warnings', trace.warnings.join(', ')],
    trace.duplicates > 0 && ['duplicates', duplicatesText(trace)],
  ])
  const outcomes = decisions.flatMap((decision) =>
    decisionLines({ output, names }, decision, deliveries),
  )
  const found = findings.filter(({ code }) => code !== 'duplicates')
  return [
    output.style('bold', printableText(head)),
    facts,
    ...found.map(({ message, remedy }) =>
      wrapLine(output, printableText(`No deliveries. ${message} ${remedy}`)),
    ),
    ...outcomes,
  ].join('\n')
}

function duplicatesText({ duplicates, lastDuplicateAt }: Trace): string {
  const last = lastDuplicateAt === null ? '' : `, last at ${lastDuplicateAt}`
  return `${duplicates} with the same messageId${last}`
}

/** `by analytics-node 3.1.0` and `from 192.0.2.1`, if present. */
function senderOf({ library, ip }: JsonObject): string[] {
  const { name, version } = isJsonObject(library) ? library : {}
  const program = [name, version].filter((each) => typeof each === 'string').join(' ')
  return [
    ...(program === '' ? [] : [`by ${program}`]),
    ...(typeof ip === 'string' ? [`from ${ip}`] : []),
  ]
}

function decisionLines(
  { output, names }: { readonly output: Output; readonly names: Names },
  { destinationId, decision, reason, explanation, remedy }: Decision,
  deliveries: readonly Delivery[],
): string[] {
  const ofDestination = deliveries.filter((delivery) => delivery.destinationId === destinationId)
  const text = remedy === null ? explanation : `${explanation} ${remedy}`
  return [
    wrapLine(
      output,
      `${SYMBOLS[decision]} ${output.style('bold', printableText(nameAndId(destinationId, names)))} ${reason === null ? '' : `${reason}: `}${printableText(text)}`,
    ),
    ...ofDestination.flatMap((delivery) => deliveryLines(output, delivery)),
  ]
}

function deliveryLines(output: Output, delivery: Delivery): string[] {
  const { id, state, nextAttemptAt, webhooks, attempts } = delivery
  const next = nextAttemptAt === null ? '' : `, next attempt at ${output.time(nextAttemptAt)}`
  const parts = webhooks.flatMap((part) => partLines(output, part, delivery))
  return [
    wrapLine(output, `  ${id} ${state}${next}`),
    ...parts.map((line) => wrapLine(output, `    ${line}`)),
    ...attempts.flatMap((attempt) => attemptLines(output, attempt)),
  ]
}
