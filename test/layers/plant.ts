/** A violation, put into a file of a copy of the tree, and what should stand there instead. */
export interface Plant {
  /** Path in the repository. Several plants may share a file. */
  readonly file: string
  /** The rule that must report it, as oxlint prints it. */
  readonly rule: string
  readonly violation: string
  /** Takes its place in the other copy, where nothing may be reported. Absent where rows of `Allowed` do. */
  readonly innocent?: string
  /** Where the innocent text stands, when the name of the file is the violation. */
  readonly innocentFile?: string
}

/** What looks like a violation and is none. */
export interface Allowed {
  readonly file: string
  readonly rule: string
  readonly innocent: string
}
