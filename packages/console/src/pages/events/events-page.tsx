import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function EventsPage(): ReactElement {
  return <PageHeading title="Events" />
}
