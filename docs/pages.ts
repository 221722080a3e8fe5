import { configPage } from './config-page.ts'
import { errorsPage } from './errors-page.ts'

/** A page that is generated from the code. */
export interface GeneratedPage {
  /** Path in the repository. */
  readonly path: string
  readonly render: () => string
}

export const GENERATED_PAGES: readonly GeneratedPage[] = [
  { path: 'docs/errors.md', render: errorsPage },
  { path: 'docs/config.md', render: configPage },
]
