/** The body of every error response. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string
  readonly errors: readonly {
    readonly pointer: string
    readonly code: string
    readonly message: string
    readonly hint: string
  }[]
}

/** `pointer code` of each error. */
export function errorsIn({ errors }: ProblemDocument): string[] {
  return errors.map(({ pointer, code }) => `${pointer} ${code}`)
}
