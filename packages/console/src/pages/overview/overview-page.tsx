import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

/** How the service is, and what is wrong now. */
export function OverviewPage(): ReactElement {
  return <PageHeading title="Overview" />
}
