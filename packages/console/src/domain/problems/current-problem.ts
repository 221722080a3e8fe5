/** Something that is wrong now, with what to do about it. */
export interface CurrentProblem {
  readonly key: string
  readonly severity: 'failing' | 'attention'
  readonly title: string
  readonly remedy: string
  /** Where to look, as a path of the console. */
  readonly to: string
}
