import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function DestinationsPage(): ReactElement {
  return <PageHeading title="Destinations" />
}
