import { architecturePage } from './architecture-page.ts'
import { audienceOperatorsPage } from './audience-operators-page.ts'
import { configPage } from './config-page.ts'
import { errorsPage } from './errors-page.ts'
import { managementClient } from './management-client.ts'
import { metricsPage } from './metrics-page.ts'
import { performancePage, performancePlots } from './performance-page.ts'

/** A page, or a program, that is generated from the code, in whole or in a marked part. */
export interface GeneratedPage {
  /** Path in the repository. */
  readonly path: string
  readonly render: () => string | Promise<string>
}

export const GENERATED_PAGES: readonly GeneratedPage[] = [
  { path: 'ARCHITECTURE.md', render: architecturePage },
  { path: 'docs/errors.md', render: errorsPage },
  { path: 'docs/config.md', render: configPage },
  { path: 'docs/metrics.md', render: metricsPage },
  { path: 'docs/audience-operators.md', render: audienceOperatorsPage },
  { path: 'packages/cli/src/api/generated/management-client.ts', render: managementClient },
  { path: 'docs/performance.md', render: performancePage },
  ...performancePlots(),
]
