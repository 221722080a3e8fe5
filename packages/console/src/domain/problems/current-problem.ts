/** A row of “Needs attention”. */
export interface CurrentProblem {
  readonly key: string
  readonly severity: 'failing' | 'attention'
  readonly title: string
  readonly remedy: string
  /** A path of the console. */
  readonly to: string
}
