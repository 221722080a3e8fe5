import { columnsOf, cutText } from '../../layout/measure.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'

export interface EventSummary {
  /** `null` if the body has no `type`, as after a transform. */
  readonly type: string | null
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
}

export function summaryOf(event: Readonly<Record<string, unknown>>): EventSummary {
  const field = (name: string) => (event[name] ?? null) as string | null
  return {
    type: field('type'),
    name: field('event') ?? field('name'),
    userId: field('userId'),
    anonymousId: field('anonymousId'),
  }
}

export function userOf({ userId, anonymousId }: EventSummary): string {
  return userId ?? anonymousId ?? ''
}

/** The first cells of a line about an event: the time of day of `at`, type, name and user. */
export function eventCells(output: Output, at: string, event: EventSummary): string[] {
  return [
    output.style('dim', at.slice(11, 23)),
    output.style('cyan', cell(event.type ?? 'no type', 8)),
    output.style('bold', cell(event.name ?? '', 20)),
    cell(userOf(event), 14),
  ]
}

function cell(text: string, width: number): string {
  const shown = cutText(printableText(text), width)
  return shown + ' '.repeat(width - columnsOf(shown))
}
