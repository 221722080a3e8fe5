import type { ManagementApi } from '../../api/management-api.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'

export type Explained = Awaited<ReturnType<ManagementApi['explainAudience']>>

type Part = NonNullable<Explained['condition']>[number]

/** Why a user belongs to an audience, or has a value, for people: one line for each part of the condition. */
export function explanationText(output: Output, explained: Explained): string {
  const { condition = [], changesAt } = explained
  return [
    headline(output, explained),
    ...condition.map((part) => partText(output, part)),
    ...(changesAt === null ? [] : [`Without new events, it next changes at ${changesAt}.`]),
  ].join('\n')
}

function headline(output: Output, explained: Explained): string {
  const { userId, value, since, condition, events } = explained
  const sinceText = since === null ? '' : ` since ${since}`
  if (condition === undefined) {
    const noun = events === 1 ? 'event' : 'events'
    const made = events === undefined ? '' : `, made of ${events} ${noun}`
    return output.style('bold', printable(`${userId}: ${JSON.stringify(value)}${sinceText}${made}`))
  }
  const verb = value === true ? 'belongs to the audience' : 'does not belong to the audience'
  return output.style('bold', printable(`${userId} ${verb}${value === true ? sinceText : ''}`))
}

function partText(output: Output, { pointer, kind, holds, clause, saw, changesAt }: Part): string {
  const mark = output.style(holds ? 'green' : 'red', holds ? '✓' : '✗')
  const until = changesAt === null ? '' : `, until ${changesAt} at least`
  const text = kind === 'clause' ? `${JSON.stringify(clause)}  ${seenText(saw)}${until}` : kind
  return `${'  '.repeat(depthOf(pointer) + 1)}${mark} ${printable(text)}`
}

/** How deep a part is: `/and/0/not` is in a `not` in an `and`. */
function depthOf(pointer: string): number {
  return pointer.split('/').filter((step) => /^(?:and|or|not)$/.test(step)).length
}

function seenText(saw: Part['saw']): string {
  if (saw === undefined) return ''
  if ('count' in saw) return `saw ${saw['count']}${saw['orMore'] === true ? ' or more' : ''}`
  if ('member' in saw) return saw['member'] === true ? 'is a member' : 'is no member'
  return saw['value'] === null ? 'saw nothing' : `saw ${JSON.stringify(saw['value'])}`
}
