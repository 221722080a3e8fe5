import { type Frame, partOf, partOfLine } from './parts.ts'

/** What we read of a CPU profile of V8. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: Frame
  /** How often the thread was found in the function itself. */
  readonly hitCount?: number
  readonly children?: readonly number[]
  /** The same by line, where it is known. */
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[]
}

/** A line of a source file, counted from 1; undefined if there is none. */
export type LineOf = (url: string, line: number) => string | undefined

/** How often the thread was found in each part of the program. The time in which it was idle is left out. */
export function ticksByPart({ nodes }: CpuProfile, lineOf: LineOf): ReadonlyMap<string, number> {
  const parts = partsOfNodes(nodes)
  const sums = new Map<string, number>()
  const add = (part: string, ticks: number): void => {
    if (ticks > 0) sums.set(part, (sums.get(part) ?? 0) + ticks)
  }
  for (const { id, callFrame, hitCount = 0, positionTicks = [] } of nodes) {
    if (callFrame.functionName === '(idle)') continue
    let left = hitCount
    for (const { line, ticks } of callFrame.url === '' ? [] : positionTicks) {
      const part = partOfLine(lineOf(callFrame.url, line) ?? '')
      if (part === undefined) continue
      add(part, ticks)
      left -= ticks
    }
    add(parts.get(id)!, left)
  }
  return sums
}

/** The part of each node. Callers come before what they call: the part of a native function may be that of its caller. */
function partsOfNodes(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const callers = new Map<number, number>()
  for (const { id, children = [] } of nodes) for (const child of children) callers.set(child, id)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parts = new Map<number, string>()
  const partOfId = (id: number): string => {
    const known = parts.get(id)
    if (known !== undefined) return known
    const caller = callers.get(id)
    const part = partOf(byId.get(id)!.callFrame, caller === undefined ? '' : partOfId(caller))
    parts.set(id, part)
    return part
  }
  for (const { id } of nodes) partOfId(id)
  return parts
}
