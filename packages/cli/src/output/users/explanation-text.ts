import type { ManagementApi } from '../../api/management-api.ts'
import { countText } from '../figures.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'

export type ComputationExplanation = Awaited<ReturnType<ManagementApi['explainAudience']>>

type ExplainedPart = NonNullable<ComputationExplanation['condition']>[number]

export function explanationText(output: Output, explained: ComputationExplanation): string {
  const { condition = [], changesAt } = explained
  return [
    headline(output, explained),
    ...condition.map((part) => partText(output, part)),
    ...(changesAt === null
      ? []
      : [`Without new events, the result cannot change before ${changesAt}.`]),
  ].join('\n')
}

function headline(output: Output, explained: ComputationExplanation): string {
  const { userId, value, since, condition, events } = explained
  const sinceText = since === null ? '' : ` since ${since}`
  if (condition === undefined) {
    const basis = events === undefined ? '' : `, from ${countText(events, 'event')}`
    const text = `${userId}: ${JSON.stringify(value)}${sinceText}${basis}`
    return output.style('bold', printableText(text))
  }
  const membership = since === null ? 'is in the audience' : `has been in the audience${sinceText}`
  const text = value === true ? membership : 'is not in the audience'
  return output.style('bold', printableText(`${userId} ${text}`))
}

function partText(
  output: Output,
  { pointer, kind, holds, clause, actual, changesAt }: ExplainedPart,
): string {
  const mark = output.style(holds ? 'green' : 'red', holds ? '✓' : '✗')
  const until = changesAt === null ? '' : `, until at least ${changesAt}`
  const text = kind === 'clause' ? `${JSON.stringify(clause)}  ${seenText(actual)}${until}` : kind
  return `${'  '.repeat(depthOf(pointer) + 1)}${mark} ${printableText(text)}`
}

/** The depth of a pointer: `/and/0/not` is in a `not` in an `and`. */
function depthOf(pointer: string): number {
  return pointer.split('/').filter((step) => /^(?:and|or|not)$/.test(step)).length
}

function seenText(actual: ExplainedPart['actual']): string {
  if (actual === undefined) return ''
  if ('count' in actual)
    return `count ${actual['count']}${actual['orMore'] === true ? ' or more' : ''}`
  if ('member' in actual) return actual['member'] === true ? 'is a member' : 'is not a member'
  return actual['value'] === null ? 'no value' : `value ${JSON.stringify(actual['value'])}`
}
