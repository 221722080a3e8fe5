import type { RequestSummary } from './inspected-request.ts'

/** Which requests of each node a page begins after, by the begin of the node's id. */
export type Positions = Readonly<Record<string, number>>

/** What each node has of a page, newest first. */
export interface OwnRequests {
  readonly node: string
  readonly requests: readonly { readonly number: number; readonly summary: RequestSummary }[]
}

/** Of several nodes, newest first. Those of one node stay in their order, even where its clock was set back. */
export function merged(all: readonly OwnRequests[]) {
  const rest = all.map(({ node, requests }) => requests.map((each) => ({ node, ...each })))
  const found: (typeof rest)[number] = []
  for (;;) {
    const [next] = rest
      .filter(({ length }) => length > 0)
      .toSorted(([a], [b]) => b!.summary.receivedAt - a!.summary.receivedAt)
    if (next === undefined) return found
    found.push(next.shift()!)
  }
}

export function textOf(positions: Positions): string {
  return Object.entries(positions)
    .map(([node, number]) => `${node}=${number}`)
    .join('&')
}

export function positionsIn(cursor: string): Positions {
  const entries = [...new URLSearchParams(cursor)]
  return Object.fromEntries(entries.map(([node, number]) => [node, Number(number)]))
}
