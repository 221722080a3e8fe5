import type { Removal, RemovalSlice } from '../../upkeep.ts'

/** The input of one slice of a removal. */
export interface SliceInput extends Pick<RemovalSlice, 'forMs' | 'keepBytes'> {
  readonly before: number | null
  readonly afterSeq: number
  /** When the last slice begins, by the clock of the writer's thread; absent in the first one. */
  readonly until?: number
  /** The number of events that earlier slices have removed. */
  readonly removed?: number
}

/** The result of a slice, with the removals of earlier slices. */
export interface Sliced extends Removal {
  /** The next slice, for the next transaction; absent after the last one. */
  readonly next?: SliceInput
}
