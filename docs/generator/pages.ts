import { architecturePage } from './architecture-page.ts'
import { audienceOperatorsPage } from './audience-operators-page.ts'
import { cliPage } from './cli-page.ts'
import { configPage } from './config-page.ts'
import { errorsPage } from './errors-page.ts'
import { ingestionApiPage } from './api/ingestion-api-page.ts'
import { logEventsPage } from './log-events-page.ts'
import { indexPage } from './index-page.ts'
import { managementClient } from './management-client.ts'
import { metricsPage } from './metrics-page.ts'
import { RECEIVER_PAGES } from './receiver-programs.ts'
import { receiversPage, webhookLimitsPage } from './receivers-page.ts'
import { performancePage, performancePlots } from './performance-page.ts'
import { scalingPage } from './scaling-page.ts'
import { webhookPayloadPage, webhookPayloadSchema } from './api/webhook-payload-page.ts'

/** A page or program that is generated from the code, entirely or in a marked section. */
export interface GeneratedPage {
  readonly path: string
  readonly render: () => string | Promise<string>
}

export const GENERATED_PAGES: readonly GeneratedPage[] = [
  { path: 'ARCHITECTURE.md', render: architecturePage },
  { path: 'docs/reference/errors.md', render: errorsPage },
  { path: 'docs/reference/config.md', render: configPage },
  { path: 'docs/reference/log-events.md', render: logEventsPage },
  { path: 'docs/reference/cli.md', render: cliPage },
  { path: 'docs/reference/metrics.md', render: metricsPage },
  { path: 'docs/reference/audience-operators.md', render: audienceOperatorsPage },
  { path: 'docs/reference/ingestion-api.md', render: ingestionApiPage },
  { path: 'docs/reference/webhook-payload.md', render: webhookPayloadPage },
  { path: 'docs/reference/webhook-payload.schema.json', render: webhookPayloadSchema },
  { path: 'docs/guides/receivers.md', render: receiversPage },
  { path: 'docs/guides/webhook-limits.md', render: webhookLimitsPage },
  ...RECEIVER_PAGES,
  { path: 'packages/cli/src/api/generated/management-client.ts', render: managementClient },
  { path: 'docs/explanation/performance.md', render: performancePage },
  { path: 'docs/explanation/scaling.md', render: scalingPage },
  ...performancePlots(),
  // Last, because it reads the titles of the other pages.
  { path: 'docs/README.md', render: indexPage },
]
