import type { Output } from './output.ts'
import { printable } from './printable.ts'

interface EventSummary {
  readonly type: string | null
  readonly name?: string | null | undefined
  readonly userId?: string | null
  readonly anonymousId?: string | null
}

/** The first cells of a line about an event: the time of day of `at`, type, name and user. */
export function eventCells(output: Output, at: string, event: EventSummary): string[] {
  return [
    output.style('dim', at.slice(11, 23)),
    output.style('cyan', cell(event.type ?? 'not JSON', 8)),
    output.style('bold', cell(event.name ?? '', 20)),
    cell(event.userId ?? event.anonymousId ?? '', 14),
  ]
}

function cell(text: string, width: number): string {
  const shown = printable(text)
  return (shown.length > width ? `${shown.slice(0, width - 1)}…` : shown).padEnd(width)
}
