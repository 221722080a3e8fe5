import type { Delivery } from '../../api/generated/management-client.ts'
import { attemptLines } from './attempt-line.ts'
import { details, wrapped } from '../details.ts'
import { nameAndId, type Names } from '../names.ts'
import type { Output } from '../output.ts'
import { partLines } from './part-lines.ts'

/** A delivery for people: what became of it at each webhook, its attempts, and the responses to them. */
export function deliveryDetails(output: Output, delivery: Delivery, names: Names): string {
  const { webhooks, attempts, quarantine, nextAttemptAt } = delivery
  const facts = details(output, [
    ['id', delivery.id],
    ['event', delivery.eventId],
    ['destination', nameAndId(delivery.destinationId, names)],
    ['state', delivery.state],
    ['next attempt', nextAttemptAt === null ? 'none' : output.time(nextAttemptAt)],
    ...(quarantine === undefined
      ? []
      : [['in quarantine', `since ${quarantine.at}: ${quarantine.reason}`] as const]),
  ])
  const parts = webhooks
    .flatMap((part) => partLines(output, part, delivery))
    .map((line) => wrapped(output, line))
  const made = attempts.flatMap((attempt) => attemptLines(output, attempt))
  const blocks = [
    [facts],
    parts,
    made.length === 0 ? [] : [output.style('bold', 'attempts'), ...made],
  ]
  return blocks
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
