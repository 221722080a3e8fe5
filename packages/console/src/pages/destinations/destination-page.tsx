import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function DestinationPage(): ReactElement {
  return <PageHeading title="Destination" />
}
