import { type Frame, partOf, partOfLine } from './parts.ts'

/** The fields of a V8 CPU profile that we read. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: Frame
  /** The number of samples in the function itself. */
  readonly hitCount?: number
  readonly children?: readonly number[]
  /** The samples by line, if known. */
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[]
}

/** A line of a source file, counted from 1; undefined if the position has no line. */
export type LineOf = (url: string, line: number) => string | undefined

/** The number of samples in each part of the program, excluding idle samples. */
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

/** The part of each node. Callers come before callees, because a native function may belong to its caller's part. */
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
