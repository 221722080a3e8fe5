import type { ComputationExplanation } from '../record/computation-kind.ts'

type Part = NonNullable<ComputationExplanation['condition']>[number]

export interface ExplainedPart extends Part {
  /** The number of enclosing groups and `not`s. */
  readonly depth: number
  /** Whether a different verdict here could change the overall verdict. */
  readonly isDecisive: boolean
}

/** Adds `depth` and `isDecisive` to each part. Parents come before their children in the response. */
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

/** Parts that agree with their group decide it: all parts of a matching `and`, the failing ones of a failing `and`. */
function decides(parent: Part, part: Part): boolean {
  return parent.kind === 'not' || parent.holds === part.holds
}
