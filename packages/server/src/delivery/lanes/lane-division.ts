/** Which part of the limits of a lane this node has: each webhook gets the whole of them from all nodes together. */
export interface LaneDivision {
  /** The nodes that deliver; at least 1. */
  readonly nodes: number
  /** Which of them this is, from 0 on. */
  readonly place: number
}

export const UNDIVIDED: LaneDivision = { nodes: 1, place: 0 }

/** This node's part of a number. The parts of all nodes have it as their sum, and each is at least 1. */
export function partOfLimit(limit: number, { nodes, place }: LaneDivision): number {
  const rest = place < limit % nodes ? 1 : 0
  return Math.max(1, Math.floor(limit / nodes) + rest)
}
