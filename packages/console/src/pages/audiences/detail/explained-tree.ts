import type { Explained } from '../record/computation-kind.ts'

type Part = NonNullable<Explained['condition']>[number]

/** A part of a condition with its verdict, as a page shows it. */
export interface ExplainedPart extends Part {
  /** How many groups and `not` it is in. */
  readonly depth: number
  /** Whether the verdict on the whole would not be as it is if this one could be different. */
  readonly isDecisive: boolean
}

/**
 * The parts with what decided: all parts of an `and` that holds, and those that fail of one that fails; the other way round
 * for an `or`. The service gives each part before those in it.
 */
export function explainedParts(parts: readonly Part[]): readonly ExplainedPart[] {
  const done = new Map<string, ExplainedPart>()
  return parts.map((part) => {
    const parent = part.pointer === '' ? undefined : done.get(outerPointer(part.pointer))
    const shown = {
      ...part,
      depth: parent === undefined ? 0 : parent.depth + 1,
      isDecisive: parent === undefined || (parent.isDecisive && decides(parent, part)),
    }
    done.set(part.pointer, shown)
    return shown
  })
}

function outerPointer(pointer: string): string {
  return pointer.replace(/\/not$|\/(?:and|or)\/\d+$/, '')
}

function decides(parent: Part, part: Part): boolean {
  return parent.kind === 'not' || parent.holds === part.holds
}
